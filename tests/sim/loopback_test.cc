// Tries sim/loopback_sockets.h: whole runs over a machine's loopback against
// what can be worked out by hand from the platform's costs
// (sim/platforms/linux_kvm.textproto), with every source of chance off.
//
// A 4096-byte message, everybody idle, in nanoseconds, each rounded down:
//   send      syscall 450 + allocation 200 + copy 4096 x 0.085 = 998
//   worker    starts after 2000, a task's latency; receive work 450
//   wake-up   the reader starts after 2000
//   read      syscall 450 + copy 348 = 798
// Nothing is copied on the way. The read of a stream that empties the queue
// also sends a credit update, for which it wakes the worker: 1000.

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/loopback_sockets.h"
#include "sim/result.pb.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

constexpr int64_t kOneWay = 998 + 2000 + 450 + 2000 + 798;

// Sender and reader may meet on one processor, so switching is free here.
constexpr char kNoChance[] =
    "cost { name: \"context_switch\" value: 0 } "
    "randomness { start_offset { enabled: false } "
    "  run_queue_order { enabled: false } wakeup_latency { enabled: false } "
    "  cost_jitter { enabled: false } interference { enabled: false } }\n";

constexpr char kShort[] = "warmup_us: 0 duration_us: 10000 cooldown_us: 0 ";

// A flow within the machine with that context id.
std::string Flow(absl::string_view type, absl::string_view rest,
                 uint64_t cid = 3, absl::string_view name = "f") {
  return absl::StrCat("flow { name: \"", name, "\" type: ", type,
                      " transport: VSOCK_LOOPBACK from { cid: ", cid,
                      " } to { cid: ", cid, " port: 10 } ", rest, " }\n");
}

RunResult RunText(absl::string_view text) {
  const absl::StatusOr<LoadedScenario> loaded = LoadText(
      absl::StrCat("name: \"test\" question: \"Does it run?\"\n", text), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  const std::atomic<bool> stop{false};
  absl::StatusOr<RunResult> result =
      RunArm(loaded->scenario, loaded->platform, loaded->scenario.arm(0),
             /*seed=*/1, stop);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

bool HasStation(const RunResult& result, absl::string_view name) {
  for (const StationUse& station : result.totals().station()) {
    if (station.name() == name) return true;
  }
  return false;
}

TEST(LoopbackSocketsTest, PacedDatagramTakesTheSumOfItsCostsOnEitherMachine) {
  for (const uint64_t cid : {2, 3}) {
    const RunResult result = RunText(absl::StrCat(
        kNoChance, Flow("DGRAM", "paced { interval_us: 1000 }", cid)));

    EXPECT_EQ(result.flow(0).latency().count(), 200u);
    EXPECT_DOUBLE_EQ(result.flow(0).latency().max_us(), kOneWay / 1e3);
    EXPECT_DOUBLE_EQ(result.flow(0).latency().p50_us(), kOneWay / 1e3);
  }
}

TEST(LoopbackSocketsTest, PacedStreamTakesTheSumOfItsCosts) {
  const RunResult result = RunText(
      absl::StrCat(kNoChance, Flow("STREAM", "paced { interval_us: 1000 }")));

  EXPECT_DOUBLE_EQ(result.flow(0).latency().max_us(), (kOneWay + 1000) / 1e3);
  EXPECT_EQ(result.flow(0).messages_delivered(), 200u);
}

TEST(LoopbackSocketsTest, NoRingIsUsedAndNobodyIsNotified) {
  const RunResult result =
      RunText(absl::StrCat(kShort, Flow("STREAM", "count: 3")));

  EXPECT_GT(result.flow(0).messages_delivered(), 100u);
  EXPECT_EQ(result.totals().ring_messages(), 0u);
  EXPECT_EQ(result.totals().kicks_sent(), 0u);
  EXPECT_EQ(result.totals().interrupts_sent(), 0u);
}

TEST(LoopbackSocketsTest, RealPayloadsArriveAsSentOnEitherMachine) {
  for (const uint64_t cid : {2, 3}) {
    for (const char* type : {"STREAM", "DGRAM"}) {
      const RunResult result = RunText(
          absl::StrCat("payload: REAL ", kShort,
                       Flow(type, "count: 3 message_bytes: 4096", cid)));

      EXPECT_GT(result.flow(0).messages_delivered(), 100u);
    }
  }
}

TEST(LoopbackSocketsTest, EachMachineHasAWorkerOfItsOwn) {
  const RunResult guest = RunText(absl::StrCat(kShort, Flow("DGRAM", "", 3)));
  const RunResult both = RunText(absl::StrCat(
      kShort, Flow("DGRAM", "", 3, "guest"), Flow("DGRAM", "", 2, "host"),
      "arm { name: \"both\" flow: [\"guest\", \"host\"] }"));

  EXPECT_TRUE(HasStation(guest, "guest_loopback_worker"));
  EXPECT_FALSE(HasStation(guest, "host_loopback_worker"));
  EXPECT_TRUE(HasStation(both, "guest_loopback_worker"));
  EXPECT_TRUE(HasStation(both, "host_loopback_worker"));
}

TEST(LoopbackSocketsTest, RunsBesideTheVirtioTransport) {
  const RunResult result =
      RunText(absl::StrCat(kShort, Flow("STREAM", "", 2),
                           "flow { name: \"ring\" type: STREAM from { cid: 3 } "
                           "  to { cid: 2 port: 11 } } arm { name: \"a\" flow: "
                           "[\"f\", \"ring\"] }"));

  EXPECT_GT(result.flow(0).messages_delivered(), 100u);
  EXPECT_GT(result.flow(1).messages_delivered(), 100u);
  EXPECT_GT(result.totals().ring_messages(), 0u);
}

// SO_RCVBUF's default holds 26 datagrams of 4 KiB: 8448 bytes are charged for
// each, of 212992, and the test comes before the charge.
TEST(LoopbackSocketsTest, SlowReaderLosesWhatItsBufferDoesNotHold) {
  const RunResult result = RunText(
      absl::StrCat(kNoChance, "warmup_us: 0 duration_us: 50000 cooldown_us: 0 ",
                   Flow("DGRAM",
                        "paced { interval_us: 500 } "
                        "receiver { behaviour: SLOW sleep_us: 100000 }")));

  ASSERT_EQ(result.flow(0).drop_size(), 1);
  EXPECT_EQ(result.flow(0).drop(0).cause(), "receive_buffer_full");
  EXPECT_EQ(result.flow(0).drop(0).packets(), 100u - 26u);
}

TEST(LoopbackSocketsTest, StreamOfASlowReaderWaitsAndLosesNothing) {
  const RunResult result = RunText(absl::StrCat(
      "payload: REAL ", Flow("STREAM",
                             "total_bytes: 1048576 receiver { behaviour: SLOW "
                             "  sleep_us: 300 read_bytes: 7000 }")));

  EXPECT_EQ(result.flow(0).drop_size(), 0);
  EXPECT_EQ(result.flow(0).connections_reset(), 0u);
  EXPECT_GT(result.flow(0).blocked_on_credit_us(), 0);
}

TEST(LoopbackSocketsTest, AbsentReceiverResetsStreamsAndLosesDatagrams) {
  const RunResult stream =
      RunText(Flow("STREAM", "count: 3 receiver { behaviour: ABSENT }"));
  const RunResult datagram =
      RunText(absl::StrCat(kNoChance, Flow("DGRAM",
                                           "paced { interval_us: 1000 } "
                                           "receiver { behaviour: ABSENT }")));

  EXPECT_EQ(stream.flow(0).connections_reset(), 3u);
  ASSERT_EQ(datagram.flow(0).drop_size(), 1);
  EXPECT_EQ(datagram.flow(0).drop(0).cause(), "no_socket");
  EXPECT_EQ(datagram.flow(0).drop(0).packets(), 200u);
}

TEST(LoopbackSocketsTest, FlowBetweenTwoMachinesIsRefused) {
  const std::string error = LoadError(
      absl::StrCat(kLawful,
                   "flow { name: \"f\" type: STREAM transport: VSOCK_LOOPBACK "
                   "from { cid: 3 }\n to { cid: 2 port: 11 } }"));

  EXPECT_THAT(error, testing::HasSubstr("flow[1].to.cid: must be from.cid"));
}

}  // namespace
}  // namespace sim
