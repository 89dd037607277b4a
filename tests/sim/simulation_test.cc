// Tries sim/simulation.h: whole runs against what can be worked out by hand
// from the platform's costs (sim/platforms/linux_kvm.textproto), with every
// source of chance switched off.
//
// A 4096-byte message, guest to host, everybody idle:
//   send      syscall 450 + allocation 200 + copy 4096 x 0.085 = 998
//   kick      the worker starts after 6500
//   worker    packet 570 + delivery 1670 + copy (44 + 4096) x 0.193 = 3039
//   wake-up   the reader starts after 2000
//   read      syscall 450 + copy 348 = 798
// in nanoseconds, each rounded down. The read of a stream that empties the
// queue also sends a credit update, for which it wakes the worker: 1000.

#include "sim/simulation.h"

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "sim/scenario_loader.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

constexpr int64_t kSend = 998;
constexpr int64_t kWorkerWakeup = 6500;
constexpr int64_t kWorkerPacket = 3039;
constexpr int64_t kTaskLatency = 2000;
constexpr int64_t kRead = 798;
constexpr int64_t kOneWay =
    kSend + kWorkerWakeup + kWorkerPacket + kTaskLatency + kRead;

constexpr char kNoChance[] =
    "randomness { start_offset { enabled: false } "
    "  run_queue_order { enabled: false } wakeup_latency { enabled: false } "
    "  cost_jitter { enabled: false } interference { enabled: false } }\n";

LoadedScenario Load(absl::string_view text) {
  absl::StatusOr<LoadedScenario> loaded = LoadText(
      absl::StrCat("name: \"test\" question: \"Does it run?\"\n", text), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return *std::move(loaded);
}

absl::StatusOr<RunResult> RunFirstArm(const LoadedScenario& loaded,
                                      uint64_t seed = 1) {
  const std::atomic<bool> stop{false};
  return RunArm(loaded.scenario, loaded.platform, loaded.scenario.arm(0), seed,
                stop);
}

RunResult RunText(absl::string_view text) {
  absl::StatusOr<RunResult> result = RunFirstArm(Load(text));
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

const StationUse& StationNamed(const RunResult& result,
                               absl::string_view name) {
  for (const StationUse& station : result.totals().station()) {
    if (station.name() == name) return station;
  }
  ADD_FAILURE() << "no station " << name;
  return result.totals().station(0);
}

std::string Flow(absl::string_view type, absl::string_view rest) {
  return absl::StrCat("flow { name: \"f\" type: ", type,
                      " from { cid: 3 } to { cid: 2 port: 10 } ", rest, " }");
}

TEST(SimulationTest, PacedDatagramTakesTheSumOfItsCosts) {
  const RunResult result = RunText(
      absl::StrCat(kNoChance, Flow("DGRAM", "paced { interval_us: 1000 }")));

  const Latency& latency = result.flow(0).latency();
  EXPECT_EQ(latency.count(), 200u);  // one a millisecond for 200 ms
  EXPECT_DOUBLE_EQ(latency.max_us(), kOneWay / 1e3);
  EXPECT_DOUBLE_EQ(latency.p50_us(), kOneWay / 1e3);
}

TEST(SimulationTest, PacedStreamTakesTheSumOfItsCosts) {
  const RunResult result = RunText(
      absl::StrCat(kNoChance, Flow("STREAM", "paced { interval_us: 1000 }")));

  EXPECT_DOUBLE_EQ(result.flow(0).latency().max_us(), (kOneWay + 1000) / 1e3);
  EXPECT_EQ(result.flow(0).messages_delivered(), 200u);
}

// There: send 655 (450 + 200 + 64 x 0.085), the worker's wake-up 6500, its
// packet 2260 (570 + 1670 + (44 + 64) x 0.193), the server's wake-up 2000, read
// 455. That read empties the queue, so a credit update goes ahead of the reply:
// the worker wakes 6500 after it, moves 578 for the update and 590 for the
// reply (570 + bytes x 0.193), which joined meanwhile; one interrupt, 2000; the
// rx worker takes 530 (450 + descriptor 80) for each; the client's wake-up
// 2000, read 455, and its own credit update: descriptor 80, kick 2000.
TEST(SimulationTest, RoundTripTakesTheSumOfBothWays) {
  const RunResult result = RunText(
      absl::StrCat(kNoChance, "cost { name: \"context_switch\" value: 0 }",
                   Flow("STREAM", "request_response { think_us: 1000 }")));

  constexpr int64_t kThere = 655 + kWorkerWakeup + 2260 + kTaskLatency + 455;
  constexpr int64_t kBack =
      kWorkerWakeup + 578 + 590 + 2000 + 2 * 530 + kTaskLatency + 455 + 2080;
  const double p50_us = result.flow(0).latency().p50_us();
  EXPECT_GE(p50_us, (kThere + kBack) / 1e3);
  EXPECT_LE(p50_us, (kThere + kBack) / 1e3 * 1.008);  // a histogram's bucket
}

TEST(SimulationTest, BusyWorkerSpendsItsTimeOnWhatItMoved) {
  const RunResult result =
      RunText(absl::StrCat(kNoChance,
                           "warmup_us: 0 duration_us: 20000 cooldown_us: 0 "
                           "guest { vcpus: 16 }",
                           Flow("DGRAM", "count: 8 buffer_bytes: 131072")));

  // The utilisation law: busy time = packets x demand + interrupts x cost.
  const double expected =
      static_cast<double>(result.totals().ring_messages()) * kWorkerPacket +
      static_cast<double>(result.totals().interrupts_sent()) * 750;
  EXPECT_NEAR(StationNamed(result, "vhost_worker").busy_us() * 1e3, expected,
              2 * kWorkerPacket);
  EXPECT_GT(StationNamed(result, "vhost_worker").utilisation(), 0.8);
}

TEST(SimulationTest, EqualDatagramSendersShareEqually) {
  const RunResult result =
      RunText(absl::StrCat(kNoChance, "duration_us: 20000 guest { vcpus: 16 }",
                           Flow("DGRAM", "count: 8 buffer_bytes: 131072")));

  EXPECT_GT(result.flow(0).jain_index(), 0.99);
  EXPECT_EQ(result.flow(0).drop_size(), 0);
}

TEST(SimulationTest, AbsentReceiverLosesEveryDatagramForThatCause) {
  const RunResult result =
      RunText(absl::StrCat(kNoChance, Flow("DGRAM",
                                           "paced { interval_us: 1000 } "
                                           "receiver { behaviour: ABSENT }")));

  ASSERT_EQ(result.flow(0).drop_size(), 1);
  EXPECT_EQ(result.flow(0).drop(0).cause(), "no_socket");
  EXPECT_EQ(result.flow(0).drop(0).packets(), 200u);
  EXPECT_EQ(result.flow(0).messages_delivered(), 0u);
}

TEST(SimulationTest, AbsentListenerRefusesEveryConnection) {
  const RunResult result = RunText(absl::StrCat(
      kNoChance, Flow("STREAM", "count: 3 receiver { behaviour: ABSENT }")));

  EXPECT_EQ(result.flow(0).connections_reset(), 3u);
}

// The first port that a kernel picks is 1024 (AF_VSOCK, VMCI) or 32768
// (ip_local_port_range); the first flow's three senders would take the next.
TEST(SimulationTest, KernelPicksNoPortThatALaterFlowNames) {
  struct Case {
    const char* transport;
    int peer_cid;
    int named;
  };
  for (const Case& c : {Case{"VSOCK", 2, 1025}, Case{"VSOCK_LOOPBACK", 3, 1025},
                        Case{"VMCI", 2, 1025}, Case{"UDP", 2, 32769}}) {
    const std::string type =
        absl::StrCat(" type: DGRAM transport: ", c.transport);
    const std::string guest = absl::StrCat("{ cid: 3 port: ", c.named, " } ");
    const std::string peer =
        absl::StrCat("{ cid: ", c.peer_cid, " port: 20 } ");
    const std::string first = absl::StrCat(
        "flow { name: \"a\" count: 3 from { cid: 3 } to { cid: ", c.peer_cid,
        " port: 9 }", type, " } flow { name: \"b\"", type);

    EXPECT_TRUE(
        RunFirstArm(Load(first + " from " + guest + "to " + peer + "}")).ok())
        << c.transport;
    EXPECT_TRUE(
        RunFirstArm(Load(first + " from " + peer + "to " + guest + "}")).ok())
        << c.transport;
  }
}

// SO_RCVBUF's default holds 26 datagrams of 4 KiB (8448 bytes charged each, of
// 212992, and the test comes before the charge). One read in 100 ms.
TEST(SimulationTest, SlowReaderLosesWhatItsBufferDoesNotHold) {
  const RunResult result = RunText(
      absl::StrCat(kNoChance, "warmup_us: 0 duration_us: 50000 cooldown_us: 0 ",
                   Flow("DGRAM",
                        "paced { interval_us: 500 } "
                        "receiver { behaviour: SLOW sleep_us: 100000 }")));

  ASSERT_EQ(result.flow(0).drop_size(), 1);
  EXPECT_EQ(result.flow(0).drop(0).cause(), "receive_buffer_full");
  EXPECT_EQ(result.flow(0).messages_sent(), 100u);
  EXPECT_EQ(result.flow(0).drop(0).packets(), 100u - 26u);
}

TEST(SimulationTest, StreamOfASlowReaderLosesNothing) {
  const RunResult result = RunText(absl::StrCat(
      "payload: REAL ", Flow("STREAM",
                             "total_bytes: 1048576 "
                             "receiver { behaviour: SLOW "
                             "  sleep_us: 300 read_bytes: 7000 }")));

  EXPECT_EQ(result.flow(0).drop_size(), 0);
  EXPECT_EQ(result.flow(0).connections_reset(), 0u);
}

TEST(SimulationTest, RealPayloadsArriveAsSentInBothDirections) {
  for (const char* ends : {"from { cid: 3 } to { cid: 2 port: 10 }",
                           "from { cid: 2 } to { cid: 3 port: 10 }"}) {
    for (const char* type : {"STREAM", "DGRAM"}) {
      const absl::StatusOr<RunResult> result = RunFirstArm(Load(absl::StrCat(
          "payload: REAL warmup_us: 0 duration_us: 10000 ",
          "flow { name: \"f\" count: 3 message_bytes: 4096 type: ", type, " ",
          ends, " }")));

      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_GT(result->flow(0).messages_delivered(), 100u);
    }
  }
}

TEST(SimulationTest, ElidedPayloadsCostAndDeliverWhatRealOnesDo) {
  constexpr absl::string_view kBoth =
      "warmup_us: 1000 duration_us: 10000 cooldown_us: 0 "
      "flow { name: \"s\" type: STREAM count: 3 from { cid: 3 }"
      "  to { cid: 2 port: 10 } message_bytes: 70000 }"
      "flow { name: \"d\" type: DGRAM count: 3 from { cid: 2 }"
      "  to { cid: 3 port: 10 } message_bytes: 3000 }"
      "arm { name: \"both\" flow: [\"s\", \"d\"] }";

  const RunResult real = RunText(absl::StrCat("payload: REAL ", kBoth));
  const RunResult elided = RunText(absl::StrCat("payload: ELIDED ", kBoth));

  EXPECT_EQ(real.SerializeAsString(), elided.SerializeAsString());
}

TEST(SimulationTest, ReplayedCaptureSendsTheRecordedMessages) {
  const RunResult result = RunText(absl::StrCat(
      kNoChance, Flow("STREAM",
                      "replay { repeat: false speed_up: 0 "
                      "  message { bytes: 100 } message { bytes: 200 }"
                      "  message { bytes: 300 reply: true }"
                      "  message { bytes: 400 } } start_us: 20000")));

  EXPECT_EQ(result.flow(0).messages_delivered(), 3u);
  EXPECT_EQ(result.flow(0).payload_bytes_delivered(), 700u);
}

TEST(SimulationTest, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  const LoadedScenario loaded =
      Load(absl::StrCat("duration_us: 5000 ", Flow("DGRAM", "count: 5")));

  const absl::StatusOr<RunResult> first = RunFirstArm(loaded, 1);
  const absl::StatusOr<RunResult> again = RunFirstArm(loaded, 1);
  const absl::StatusOr<RunResult> other = RunFirstArm(loaded, 2);

  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  EXPECT_EQ(first->SerializeAsString(), again->SerializeAsString());
  EXPECT_NE(first->totals().SerializeAsString(),
            other->totals().SerializeAsString());
}

TEST(SimulationTest, StopEndsTheRunEarlyAsCancelled) {
  const LoadedScenario loaded = Load(Flow("DGRAM", ""));
  const std::atomic<bool> stop{true};

  const absl::StatusOr<RunResult> result =
      RunArm(loaded.scenario, loaded.platform, loaded.scenario.arm(0), 1, stop);

  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace sim
