// Tries AF_UNIX in whole runs, against what can be worked out by hand from
// sim/platforms/linux_kvm.textproto, with every source of chance switched off.
//
// A 4096-byte message, everybody idle, in nanoseconds, each rounded down:
//   write   syscall 450 + allocation 200 + copy 4096 x 0.085 = 998;
//           a stream's 4096 bytes lie in pages: 300 more
//   wake-up the reader starts after 2000
//   read    syscall 450 + socket buffer 200 + copy 348 = 998

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

constexpr char kNoChance[] =
    "randomness { start_offset { enabled: false } "
    "  run_queue_order { enabled: false } wakeup_latency { enabled: false } "
    "  cost_jitter { enabled: false } interference { enabled: false } }\n"
    "warmup_us: 0 duration_us: 20000 cooldown_us: 0\n";

// Short, and with chance: real payloads are written and compared byte by byte.
constexpr char kReal[] =
    "payload: REAL warmup_us: 0 duration_us: 2000 cooldown_us: 0\n";
constexpr char kElided[] =
    "payload: ELIDED warmup_us: 0 duration_us: 2000 cooldown_us: 0\n";

// The first arm of a scenario of flow "f" in the guest.
RunResult RunFlow(absl::string_view flow, absl::string_view rest = kNoChance) {
  const absl::StatusOr<LoadedScenario> loaded = LoadText(
      absl::StrCat("name: \"t\" question: \"?\"\n", rest,
                   "flow { name: \"f\" from { cid: 3 } to { cid: 3 port: 10 } ",
                   flow, " }"),
      {});
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  const std::atomic<bool> stop{false};
  const absl::StatusOr<RunResult> result =
      RunArm(loaded->scenario, loaded->platform, loaded->scenario.arm(0),
             /*seed=*/1, stop);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

TEST(UnixRunTest, DatagramTakesTheSumOfItsCosts) {
  const RunResult result =
      RunFlow("transport: UNIX type: DGRAM paced { interval_us: 1000 }");

  EXPECT_DOUBLE_EQ(result.flow(0).latency().max_us(), (998 + 2000 + 998) / 1e3);
}

TEST(UnixRunTest, StreamPaysForItsPages) {
  const RunResult result =
      RunFlow("transport: UNIX type: STREAM paced { interval_us: 1000 }");

  EXPECT_DOUBLE_EQ(result.flow(0).latency().max_us(),
                   (1298 + 2000 + 998) / 1e3);
}

// Pieces of 36544, 36544 and 26912 bytes; the reader is woken by the first and
// then never lacks one, since a read takes longer than a write: one system
// call of 65536 bytes and one for the rest. Written: 1298 - 348 + 3106, and
// then no system call.
TEST(UnixRunTest, OneReadTakesManySocketBuffersForOneSystemCall) {
  const RunResult result = RunFlow(
      "transport: UNIX type: STREAM message_bytes: 100000 "
      "paced { interval_us: 1000 }");

  constexpr int64_t kFirstWrite = 450 + 200 + 300 + 3106;  // 36544 x 0.085
  // Of the socket buffers 28992 + 7552 lie on both sides of the call's end.
  constexpr int64_t kReads = 2 * 450 + 4 * 200 + 8500;
  const double max_us = result.flow(0).latency().max_us();
  EXPECT_GE(max_us, (kFirstWrite + 2000 + kReads) / 1e3 - 0.01);
  EXPECT_LE(max_us, (kFirstWrite + 2000 + kReads) / 1e3);
}

TEST(UnixRunTest, ReceiveBufferHasNoEffectOnLinux) {
  for (const char* type : {"STREAM", "DGRAM"}) {
    const std::string flow = absl::StrCat("transport: UNIX type: ", type);

    const RunResult small =
        RunFlow(absl::StrCat(flow, " receive_buffer_bytes: 4096"), kElided);
    const RunResult large =
        RunFlow(absl::StrCat(flow, " receive_buffer_bytes: 4194304"), kElided);

    EXPECT_EQ(small.SerializeAsString(), large.SerializeAsString());
  }
}

TEST(UnixRunTest, ReceiveBufferHasNoEffectOnAMacosStream) {
  const std::string flow = "transport: UNIX_BSD type: STREAM";

  const RunResult small =
      RunFlow(absl::StrCat(flow, " receive_buffer_bytes: 4096"), kElided);
  const RunResult large =
      RunFlow(absl::StrCat(flow, " receive_buffer_bytes: 4194304"), kElided);

  EXPECT_EQ(small.SerializeAsString(), large.SerializeAsString());
}

TEST(UnixRunTest, SlowReaderOfDatagramsLosesNothingOnLinux) {
  const RunResult result = RunFlow(
      "transport: UNIX type: DGRAM "
      "receiver { behaviour: SLOW sleep_us: 1000 }");

  EXPECT_EQ(result.flow(0).drop_size(), 0);
  EXPECT_GT(result.flow(0).blocked_on_send_buffer_us(), 18000);
}

// Of 200 messages 7 find room in the beginning, and one after each of 19 reads.
TEST(UnixRunTest, SlowReaderOfDatagramsRefusesMostOnBsd) {
  const RunResult result = RunFlow(
      "transport: UNIX_BSD type: DGRAM message_bytes: 512 "
      "paced { interval_us: 100 } "
      "receiver { behaviour: SLOW sleep_us: 1000 }");

  ASSERT_EQ(result.flow(0).drop_size(), 1);
  EXPECT_EQ(result.flow(0).drop(0).cause(), "refused");
  EXPECT_EQ(result.flow(0).drop(0).packets(), 200u - 7 - 19);
  EXPECT_EQ(result.flow(0).blocked_on_send_buffer_us(), 0);
}

TEST(UnixRunTest, RealPayloadsArriveInOrderAndWhole) {
  for (const char* transport : {"UNIX", "UNIX_BSD"}) {
    for (const char* type :
         {"STREAM message_bytes: 100001", "DGRAM message_bytes: 1500"}) {
      const RunResult result = RunFlow(
          absl::StrCat("count: 3 transport: ", transport, " type: ", type),
          kReal);

      EXPECT_GT(result.flow(0).messages_delivered(), 10u);
    }
  }
}

TEST(UnixRunTest, ElidedPayloadsCostAndDeliverWhatRealOnesDo) {
  for (const char* transport : {"UNIX", "UNIX_BSD"}) {
    const std::string flow = absl::StrCat(
        "type: STREAM message_bytes: 70000 transport: ", transport);

    EXPECT_EQ(RunFlow(flow, kReal).SerializeAsString(),
              RunFlow(flow, kElided).SerializeAsString());
  }
}

TEST(UnixRunTest, DatagramsBeyond64KiBGoAsTheBufferAdmits) {
  const RunResult result =
      RunFlow("transport: UNIX type: DGRAM message_bytes: 200000", kReal);

  EXPECT_GT(result.flow(0).messages_delivered(), 10u);
}

// A reply of 10000 bytes is worked on for 1 us (100 ps a byte): as long as all
// round trips that end in the window, but for one on its edge.
TEST(UnixRunTest, ConsumersWorkIsProcessorTimeOfTheClient) {
  const RunResult result = RunFlow(
      "transport: UNIX type: STREAM "
      "request_response { reply_bytes: 10000 work_ps_per_byte: 100 }");

  const FlowResult& flow = result.flow(0);
  EXPECT_NEAR(flow.sender_work_us(),
              static_cast<double>(flow.latency().count()), 1);
  EXPECT_GT(flow.sender_processor_us(), flow.sender_work_us());
  EXPECT_NEAR(flow.sender_processor_us() + flow.receiver_processor_us(),
              result.totals().station(0).busy_us(), 200);
}

// A reply of 256 KiB takes 2.6 ms of work, and 0.05 ms to read: work is all
// that holds k threads up, of the duration of 20 ms each but for one latency
// and what is under way at the end (work is booked when it begins).
TEST(UnixRunTest, ThreadsThatWorkAreBusyAllTheTimeWhenReadingIsFaster) {
  for (const uint32_t threads : {1u, 2u, 4u}) {
    const RunResult result =
        RunFlow(absl::StrCat("transport: UNIX type: STREAM request_response { "
                             "reply_bytes: 262144 in_flight: 16 work_threads: ",
                             threads, " work_ps_per_byte: 10000 }"),
                absl::StrCat(kNoChance, "guest { vcpus: 8 }\n"));

    EXPECT_NEAR(result.flow(0).sender_work_us(), 20000.0 * threads,
                2621.44 * threads)
        << threads;
    EXPECT_TRUE(result.totals().laws_checked()) << threads;
  }
}

TEST(UnixRunTest, ReadingIsAllThatCountsWhenItIsSlowerThanTheWork) {
  const std::string rest = absl::StrCat(kNoChance, "guest { vcpus: 8 }\n");
  const auto replies = [&rest](absl::string_view work) {
    const RunResult result =
        RunFlow(absl::StrCat("transport: UNIX type: STREAM request_response { "
                             "reply_bytes: 262144 in_flight: 16 ",
                             work, " }"),
                rest);
    return static_cast<double>(result.flow(0).reply_bytes_delivered());
  };

  const double without = replies("");

  EXPECT_NEAR(replies("work_ps_per_byte: 100 work_threads: 4"), without,
              0.05 * without);
  EXPECT_LT(replies("work_ps_per_byte: 100"), 0.9 * without);
}

TEST(UnixRunTest, SameSeedSameBytesWithThreadsThatWork) {
  const std::string flow =
      "transport: UNIX type: STREAM count: 3 request_response { "
      "reply_bytes: 65536 in_flight: 4 work_ps_per_byte: 400 work_threads: 2 }";

  EXPECT_EQ(RunFlow(flow, kReal).SerializeAsString(),
            RunFlow(flow, kReal).SerializeAsString());
}

// With 8192 bytes a sender of 64 KiB sleeps seven times, or eight, for each.
TEST(UnixRunTest, MacosWriterSleepsForEvery8192Bytes) {
  const std::string flow =
      "transport: UNIX_BSD type: STREAM message_bytes: 65536 "
      "paced { interval_us: 1000 }";

  const RunResult narrow = RunFlow(flow);
  const RunResult wide = RunFlow(flow + " send_buffer_bytes: 65536");

  EXPECT_GE(narrow.totals().task_wakeups(), 20u * 7);
  EXPECT_LE(wide.totals().task_wakeups(), 20u * 4);
}

TEST(UnixRunTest, AbsentListenerRefuses) {
  const RunResult result = RunFlow(
      "transport: UNIX type: STREAM count: 3 receiver { behaviour: ABSENT }");

  EXPECT_EQ(result.flow(0).connections_reset(), 3u);
}

}  // namespace
}  // namespace sim
