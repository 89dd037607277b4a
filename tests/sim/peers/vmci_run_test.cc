// Tries VMCI flows in whole runs, against what can be worked out by hand from
// the platform's costs (sim/platforms/linux_kvm.textproto).
//
// A 4096-byte datagram, everybody idle, in nanoseconds, each rounded down.
// Guest to host:
//   send      syscall 450 + 3 buffers of 200 + (4096 + 2 x 4120) x 0.085 +
//             hypercall 1500 + the host's part 1000 = 4598
//   wake-up   the reader starts after 2000
//   read      syscall 450 + copy 348 = 798
// Host to guest:
//   send      syscall 450 + 2 buffers of 200 + (4096 + 4120) x 0.085 = 1548
//   interrupt the tasklet starts after 2000; 1000 + buffer 200 + 4120 x 0.085 =
//             1550
//   wake-up   2000, read 798

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
#include "sim/simulation.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kToHost = 4598 + 2000 + 798;
constexpr int64_t kToGuest = 1548 + 2000 + 1550 + 2000 + 798;

constexpr char kUp[] = "from { cid: 3 } to { cid: 2 port: 10 }";
constexpr char kDown[] = "from { cid: 2 } to { cid: 3 port: 10 }";

// Tasks may meet on one processor, so switching is free here.
constexpr char kNoChance[] =
    "cost { name: \"context_switch\" value: 0 } "
    "randomness { start_offset { enabled: false } "
    "  run_queue_order { enabled: false } wakeup_latency { enabled: false } "
    "  cost_jitter { enabled: false } interference { enabled: false } }\n";

constexpr char kShort[] = "warmup_us: 0 duration_us: 10000 cooldown_us: 0 ";

std::string Flow(absl::string_view ends, absl::string_view rest) {
  return absl::StrCat("flow { name: \"f\" type: DGRAM transport: VMCI ", ends,
                      " ", rest, " }\n");
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

TEST(VmciRunTest, PacedDatagramTakesTheSumOfItsCosts) {
  const RunResult up = RunText(
      absl::StrCat(kNoChance, Flow(kUp, "paced { interval_us: 1000 }")));
  const RunResult down = RunText(
      absl::StrCat(kNoChance, Flow(kDown, "paced { interval_us: 1000 }")));

  EXPECT_DOUBLE_EQ(up.flow(0).latency().max_us(), kToHost / 1e3);
  EXPECT_DOUBLE_EQ(down.flow(0).latency().max_us(), kToGuest / 1e3);
  EXPECT_EQ(down.flow(0).latency().count(), 200u);
}

TEST(VmciRunTest, RealPayloadsOfAllSizesArriveAsSent) {
  for (const char* ends : {kUp, kDown}) {
    for (const uint32_t bytes : {0, 1, 4096, 69608}) {
      const RunResult result = RunText(absl::StrCat(
          "payload: REAL ", kNoChance, kShort,
          Flow(ends, absl::StrCat("paced { interval_us: 100 } message_bytes: ",
                                  bytes))));

      EXPECT_GT(result.flow(0).messages_delivered(), 50u) << ends << bytes;
      EXPECT_EQ(result.flow(0).drop_size(), 0) << ends << bytes;
    }
  }
}

TEST(VmciRunTest, ElidedPayloadsCostAndDeliverWhatRealOnesDo) {
  for (const char* ends : {kUp, kDown}) {
    const std::string flow =
        absl::StrCat(kShort, Flow(ends, "count: 3 message_bytes: 3000"));

    EXPECT_EQ(
        RunText(absl::StrCat("payload: REAL ", flow)).SerializeAsString(),
        RunText(absl::StrCat("payload: ELIDED ", flow)).SerializeAsString());
  }
}

TEST(VmciRunTest, NoSenderWaitsForItsSendBuffer) {
  for (const char* ends : {kUp, kDown}) {
    const RunResult result =
        RunText(absl::StrCat(kShort, Flow(ends, "count: 4 buffer_bytes: 1")));

    EXPECT_EQ(result.flow(0).blocked_on_send_buffer_us(), 0);
    EXPECT_GT(result.flow(0).messages_sent(), 1000u);
  }
}

TEST(VmciRunTest, SlowReaderLosesWhatItsBufferDoesNotHold) {
  for (const char* ends : {kUp, kDown}) {
    const RunResult result = RunText(absl::StrCat(
        kNoChance, "warmup_us: 0 duration_us: 50000 cooldown_us: 0 ",
        Flow(ends,
             "paced { interval_us: 500 } "
             "receiver { behaviour: SLOW sleep_us: 100000 }")));

    ASSERT_EQ(result.flow(0).drop_size(), 1);
    EXPECT_EQ(result.flow(0).drop(0).cause(), "receive_buffer_full");
    EXPECT_EQ(result.flow(0).drop(0).packets(), 100u - 26u);
  }
}

TEST(VmciRunTest, AbsentReceiverLosesEveryDatagram) {
  const RunResult result =
      RunText(absl::StrCat(kNoChance, Flow(kUp,
                                           "paced { interval_us: 1000 } "
                                           "receiver { behaviour: ABSENT }")));

  ASSERT_EQ(result.flow(0).drop_size(), 1);
  EXPECT_EQ(result.flow(0).drop(0).cause(), "no_socket");
  EXPECT_EQ(result.flow(0).drop(0).packets(), 200u);
}

// The guest's one tasklet takes longer for a datagram than three host senders.
TEST(VmciRunTest, HostThatOutrunsTheGuestIsRefused) {
  const RunResult result =
      RunText(absl::StrCat(kShort, Flow(kDown, "count: 3")));

  bool refused = false;
  for (const auto& drop : result.flow(0).drop()) {
    refused |= drop.cause() == "refused";
  }
  EXPECT_TRUE(refused);
}

// Each holds the device for 3600 ns, so four senders do no better than one
// processor of the device could: 1e9 / 3600 = 277,778 datagrams a second.
TEST(VmciRunTest, LockOfTheDeviceBoundsAllGuestSendersTogether) {
  const RunResult result =
      RunText(absl::StrCat(kNoChance, kShort, "guest { vcpus: 8 } ",
                           Flow(kUp, "count: 8 message_bytes: 4096")));

  EXPECT_LE(result.flow(0).messages_sent(), 2778u);
  EXPECT_GE(result.flow(0).messages_sent(), 2650u);
}

TEST(VmciRunTest, StreamsAndTooLargeDatagramsAreRefusedByName) {
  const std::string stream = absl::StrCat(
      kLawful,
      "flow { name: \"v\" type: STREAM transport: VMCI from { cid: 3 }\n"
      "  to { cid: 2 port: 11 } }");
  const std::string large = absl::StrCat(
      kLawful,
      "flow { name: \"v\" type: DGRAM transport: VMCI from { cid: 3 }\n"
      "  to { cid: 2 port: 11 } message_bytes: 69609 }");

  EXPECT_THAT(LoadError(stream), HasSubstr("VMCI is modelled for DGRAM only"));
  EXPECT_THAT(LoadError(large), HasSubstr("69609 is not in 0..69608"));
}

}  // namespace
}  // namespace sim
