// Tries sim/peers/udp_sockets.h: whole runs against what can be worked out by
// hand from sim/platforms/linux_kvm.textproto, without chance.
//
// A 4096-byte datagram, guest to host, MTU 1500, everybody idle:
//   send      syscall 450 + 3 x (UDP 1100 + allocation 200) + copy 348 = 4698
//   kick      the worker starts after 6500
//   worker    copies 3 frames: descriptor 80 + (12 + bytes) x 0.193 is 374, 374
//             and 309; then for each tap 1500 + allocation 200, UDP 1100
//   wake-up   the reader starts after 2000
//   read      syscall 450 + copy 348 = 798
// in nanoseconds, each rounded down.

#include "sim/peers/udp_sockets.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "sim/traffic.h"
#include "sim/world.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

constexpr int64_t kOneWay =
    4698 + 6500 + (374 + 374 + 309) + 3 * (1500 + 200 + 1100) + 2000 + 798;

constexpr char kNoChance[] =
    "randomness { start_offset { enabled: false } "
    "  run_queue_order { enabled: false } wakeup_latency { enabled: false } "
    "  cost_jitter { enabled: false } interference { enabled: false } }\n";

absl::StatusOr<LoadedScenario> Load(absl::string_view text) {
  return LoadText(
      absl::StrCat("name: \"test\" question: \"Does it run?\"\n", text), {});
}

absl::StatusOr<RunResult> RunText(absl::string_view text, uint64_t seed = 1) {
  const absl::StatusOr<LoadedScenario> loaded = Load(text);
  if (!loaded.ok()) return loaded.status();
  const std::atomic<bool> stop{false};
  return RunArm(loaded->scenario, loaded->platform, loaded->scenario.arm(0),
                seed, stop);
}

RunResult RunOk(absl::string_view text) {
  absl::StatusOr<RunResult> result = RunText(text);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

std::string ToHost(absl::string_view rest) {
  return absl::StrCat("flow { name: \"f\" type: DGRAM transport: UDP ",
                      "from { cid: 3 } to { cid: 2 port: 10 } ", rest, " }");
}

std::string ToGuest(absl::string_view rest) {
  return absl::StrCat("flow { name: \"f\" type: DGRAM transport: UDP ",
                      "from { cid: 2 } to { cid: 3 port: 10 } ", rest, " }");
}

// The cause of all that was lost, and how many.
std::string Drops(const RunResult& result) {
  std::string all;
  for (const Drop& drop : result.flow(0).drop()) {
    absl::StrAppend(&all, drop.cause(), " ");
  }
  return all;
}

// Queue pairs that carried something to the host in 5 ms.
int PairsUsed(absl::string_view text) {
  const absl::StatusOr<LoadedScenario> loaded = Load(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  auto world = World::Create(loaded->scenario, loaded->platform, 1);
  EXPECT_TRUE(world.ok()) << world.status();
  auto traffic = Traffic::Create(**world, loaded->scenario.arm(0));
  const std::atomic<bool> stop{false};
  EXPECT_TRUE((*world)->Run(stop).ok());
  const auto& udp =
      static_cast<UdpSockets&>((*world)->layer(Scenario::Flow::UDP));
  int used = 0;
  for (uint32_t i = 0; i < loaded->scenario.virtio_net().queue_pairs(); ++i) {
    used += udp.pair(i).driver().tx_added() > 0;
  }
  return used;
}

TEST(UdpSocketsTest, PacedDatagramTakesTheSumOfItsCosts) {
  const RunResult result = RunOk(
      absl::StrCat(kNoChance, "cost { name: \"context_switch\" value: 0 }",
                   ToHost("paced { interval_us: 1000 }")));

  const Latency& latency = result.flow(0).latency();
  EXPECT_EQ(latency.count(), 200u);  // one a millisecond for 200 ms
  EXPECT_DOUBLE_EQ(latency.max_us(), kOneWay / 1e3);
}

TEST(UdpSocketsTest, JumboFrameTakesOneOfEach) {
  const RunResult result = RunOk(absl::StrCat(
      kNoChance, "cost { name: \"context_switch\" value: 0 }",
      "virtio_net { mtu: 9000 }", ToHost("paced { interval_us: 1000 }")));

  // Send 450 + 1300 + 348 = 2098, copy 80 + 4150 x 0.193 = 880.
  EXPECT_DOUBLE_EQ(result.flow(0).latency().max_us(),
                   (2098 + 6500 + 880 + 2800 + 2000 + 798) / 1e3);
}

// To the guest: worker, for each frame: descriptor 80 + tap 1500 + copy 294 or
// 229; interrupt 2000; napi for each: allocation 200 + descriptor 80, and UDP
// 1100.
TEST(UdpSocketsTest, WayToTheGuestTakesTheSumOfItsCosts) {
  const RunResult result = RunOk(
      absl::StrCat(kNoChance, "cost { name: \"context_switch\" value: 0 }",
                   ToGuest("paced { interval_us: 1000 }")));

  constexpr int64_t kWorker = 1874 + 1874 + 1809;
  EXPECT_DOUBLE_EQ(
      result.flow(0).latency().max_us(),
      (4698 + 6500 + kWorker + 2000 + 3 * 1380 + 2000 + 798) / 1e3);
}

TEST(UdpSocketsTest, AbsentReceiverLosesEveryDatagramForThatCause) {
  const RunResult result =
      RunOk(absl::StrCat(kNoChance, ToHost("paced { interval_us: 1000 } "
                                           "receiver { behaviour: ABSENT }")));

  EXPECT_EQ(Drops(result), "no_socket ");
  EXPECT_EQ(result.flow(0).drop(0).packets(), 200u);
}

// A datagram of three frames out of the tap takes 2240 + 2240 + 1920 = 6400 of
// 212992. UDP admits up to the limit: 33 x 6400 = 211200, so a 34th.
TEST(UdpSocketsTest, SlowReaderLosesWhatItsBufferDoesNotHold) {
  const RunResult result = RunOk(
      absl::StrCat(kNoChance, "warmup_us: 0 duration_us: 50000 cooldown_us: 0 ",
                   ToHost("paced { interval_us: 500 } "
                          "receiver { behaviour: SLOW sleep_us: 100000 }")));

  EXPECT_EQ(Drops(result), "receive_buffer_full ");
  EXPECT_EQ(result.flow(0).messages_sent(), 100u);
  EXPECT_EQ(result.flow(0).drop(0).packets(), 100u - 34u);
}

TEST(UdpSocketsTest, FloodOfFragmentsIsDroppedAtTheQdiscOfItsOnePair) {
  const RunResult result =
      RunOk("guest { vcpus: 16 } duration_us: 20000 " + ToHost("count: 16"));

  EXPECT_EQ(Drops(result), "qdisc_full ");
}

TEST(UdpSocketsTest, FloodFromTheHostIsDroppedAtTheTapQueue) {
  const RunResult result =
      RunOk("host { cpus: 16 } duration_us: 20000 " + ToGuest("count: 8"));

  EXPECT_EQ(Drops(result), "tap_queue_full ");
  EXPECT_EQ(result.flow(0).blocked_on_send_buffer_us(), 0.0);
}

// In flight: with tx napi the 31 datagrams of SO_SNDBUF; without, those and
// what a ring of 1024 frames holds, never less than a quarter of it: the
// stopped queue goes on when three quarters are used. The worker takes 9.5 us
// for each.
TEST(UdpSocketsTest, TxNapiBoundsWhatASenderHasInTheRingAndOrphaningDoesNot) {
  const std::string flow =
      "warmup_us: 5000 duration_us: 20000 guest { ring { size: 1024 } } " +
      ToHost("");

  const RunResult napi = RunOk(flow);
  const RunResult orphan = RunOk("virtio_net { tx_napi: false } " + flow);

  EXPECT_LT(napi.flow(0).latency().p50_us(), 1.2 * 31 * 9.5);
  EXPECT_GT(orphan.flow(0).latency().p50_us(), (31 + 1024 / 3 / 4) * 9.5);
}

TEST(UdpSocketsTest, FragmentedFlowsShareOnePairAndWholeOnesDoNot) {
  constexpr absl::string_view kShort =
      "warmup_us: 0 duration_us: 5000 cooldown_us: 0 ";

  EXPECT_EQ(PairsUsed(absl::StrCat(kShort, ToHost("count: 16"))), 1);
  EXPECT_GT(
      PairsUsed(absl::StrCat(kShort, ToHost("count: 16 message_bytes: 1000"))),
      4);
  EXPECT_GT(
      PairsUsed(absl::StrCat(kShort, "virtio_net { steering: FOUR_TUPLE } ",
                             ToHost("count: 16"))),
      4);
}

TEST(UdpSocketsTest, RealPayloadsArriveAsSentInBothDirections) {
  for (const uint32_t mtu : {576, 1500, 9000}) {
    for (const std::string& flow : {ToHost("count: 3"), ToGuest("count: 3")}) {
      const RunResult result =
          RunOk(absl::StrCat("payload: REAL warmup_us: 0 duration_us: 3000 ",
                             "virtio_net { mtu: ", mtu, " } ", flow));

      EXPECT_GT(result.flow(0).messages_delivered(), 50u) << mtu << flow;
    }
  }
}

// Both ends of a run, whatever its shape: the layer's own checks must hold.
TEST(UdpSocketsTest, ConservationHoldsInEveryShape) {
  for (const char* ring :
       {"size: 2", "size: 128 in_order: true", "event_idx: false",
        "format: PACKED in_order: true"}) {
    for (const char* net :
         {"tx_napi: true", "tx_napi: false", "mtu: 68 qdisc_packets: 50",
          "steering: FOUR_TUPLE queue_pairs: 3", "tap_queue_packets: 5"}) {
      for (const std::string& flow :
           {ToHost("count: 5 message_bytes: 3000"),
            ToGuest("count: 5 message_bytes: 3000"),
            ToHost("message_bytes: 100 total_bytes: 10000")}) {
        EXPECT_TRUE(RunText(absl::StrCat("warmup_us: 0 duration_us: 3000 ",
                                         "guest { ring { ", ring, " } } ",
                                         "virtio_net { ", net, " } ", flow))
                        .ok())
            << ring << net << flow;
      }
    }
  }
}

TEST(UdpSocketsTest, WhatWasSentIsDeliveredOrLostOnceAtRest) {
  const RunResult result = RunOk(
      "warmup_us: 0 duration_us: 50000 virtio_net { tx_napi: false "
      "  qdisc_packets: 20 } " +
      ToHost("count: 4 total_bytes: 409600 start_us: 0 stop_us: 20000"));

  const FlowResult& flow = result.flow(0);
  EXPECT_EQ(flow.messages_sent(), 400u);
  ASSERT_EQ(Drops(result), "qdisc_full ");
  EXPECT_EQ(flow.messages_delivered() + flow.drop(0).packets(), 400u);
}

TEST(UdpSocketsTest, ElidedPayloadsCostAndDeliverWhatRealOnesDo) {
  const std::string both = "warmup_us: 1000 duration_us: 5000 cooldown_us: 0 " +
                           ToHost("count: 3 message_bytes: 5000");

  EXPECT_EQ(RunOk("payload: REAL " + both).SerializeAsString(),
            RunOk("payload: ELIDED " + both).SerializeAsString());
}

TEST(UdpSocketsTest, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  const std::string text = "duration_us: 5000 " + ToHost("count: 5");

  const absl::StatusOr<RunResult> first = RunText(text, 1);
  const absl::StatusOr<RunResult> again = RunText(text, 1);
  const absl::StatusOr<RunResult> other = RunText(text, 2);

  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  EXPECT_EQ(first->SerializeAsString(), again->SerializeAsString());
  EXPECT_NE(first->totals().SerializeAsString(),
            other->totals().SerializeAsString());
}

TEST(UdpSocketsTest, LongestPayloadIsSentAndALongerOneIsRefusedByTheCheck) {
  EXPECT_GT(RunOk("duration_us: 5000 " + ToHost("message_bytes: 65507"))
                .flow(0)
                .messages_delivered(),
            0u);
  EXPECT_FALSE(Load(ToHost("message_bytes: 65508")).ok());
}

TEST(UdpSocketsTest, StreamsAndPortsBeyond65535AreRefusedByTheCheck) {
  EXPECT_FALSE(Load("flow { name: \"f\" type: STREAM transport: UDP "
                    "from { cid: 3 } to { cid: 2 port: 10 } }")
                   .ok());
  EXPECT_FALSE(Load("flow { name: \"f\" type: DGRAM transport: UDP count: 2 "
                    "from { cid: 3 } to { cid: 2 port: 65535 } }")
                   .ok());
}

}  // namespace
}  // namespace sim
