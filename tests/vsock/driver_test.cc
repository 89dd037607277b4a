// The guest's driver between its transport and its rings, step by step.

#include "vsock/driver.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/effects.h"
#include "vsock/guest.h"

namespace vsock {
namespace {

constexpr Port kPort{9};

VsockPair::Options WithRing(uint16_t size, bool event_idx = true,
                            bool indirect = true) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_size = size;
  options.guest.driver.event_idx = event_idx;
  options.guest.driver.indirect = indirect;
  return options;
}

class DriverTest : public ::testing::Test {
 protected:
  explicit DriverTest(const VsockPair::Options& options = WithRing(4))
      : pair_(options), sender_(OpenDatagram(pair_, Side::kGuest)) {}

  Driver& driver() { return pair_.guest().driver(); }
  PacketQueue& list() { return pair_.guest().send_list(); }
  void Queue(int count) {
    for (int i = 0; i < count; ++i) sender_.MustSendTo({kCidHost, kPort}, 100);
  }

  VsockPair pair_;
  DatagramEnd sender_;
};

TEST_F(DriverTest, DirectPathPutsAPacketOnTheRingAtOnce) {
  Queue(1);
  const Effects effects = driver().Submit();

  EXPECT_EQ(driver().tx_in_flight(), 1u);
  EXPECT_TRUE(list().empty());
  EXPECT_FALSE(effects.run_send_work);
}

TEST_F(DriverTest, OneKickServesABatch) {
  Queue(3);
  const Effects effects = driver().Submit();

  EXPECT_TRUE(effects.kick_tx);
  EXPECT_EQ(effects.work.kicks, 1u);
  EXPECT_EQ(effects.work.packets, 3u);
}

TEST_F(DriverTest, NoKickIsOwedToADeviceThatHasNotGoneIdle) {
  Queue(1);
  EXPECT_TRUE(driver().Submit().kick_tx);
  Queue(1);
  const Effects effects = driver().Submit();

  EXPECT_FALSE(effects.kick_tx);
  EXPECT_EQ(effects.work.kicks, 0u);
  EXPECT_EQ(effects.work.kicks_suppressed, 1u);
}

TEST_F(DriverTest, FullRingHandsTheListToTheSendWorker) {
  Queue(6);
  const Effects effects = driver().Submit();

  EXPECT_TRUE(effects.run_send_work);
  EXPECT_EQ(driver().tx_in_flight(), 4u);
  EXPECT_EQ(list().size(), 2u);
  EXPECT_FALSE(driver().SendStep().more);
  EXPECT_TRUE(driver().waits_for_ring());
}

// Else a later packet would overtake those on the list.
TEST_F(DriverTest, DirectPathIsShutWhileTheListIsNotEmpty) {
  Queue(6);
  (void)driver().Submit();
  (void)driver().SendStep();
  (void)pair_.device().OnTxKick();
  for (int i = 0; i < 5; ++i) (void)pair_.device().Step(pair_.now());
  EXPECT_TRUE(driver().ReclaimStep().run_send_work);  // the ring has room now
  Queue(1);

  const Effects effects = driver().Submit();

  EXPECT_EQ(effects.work.packets, 0u);
  EXPECT_EQ(list().size(), 3u);
}

TEST_F(DriverTest, SendWorkerMovesOnePacketAStepAndKicksOnceAtTheEnd) {
  Queue(6);
  (void)driver().Submit();
  (void)driver().SendStep();
  ASSERT_TRUE(pair_.device().OnTxKick());
  for (int i = 0; i < 5; ++i) (void)pair_.device().Step(pair_.now());
  (void)driver().ReclaimStep();

  for (int i = 0; i < 2; ++i) {
    const Effects step = driver().SendStep();
    EXPECT_EQ(step.work.packets, 1u);
    EXPECT_TRUE(step.more);
    EXPECT_FALSE(step.kick_tx);
  }
  const Effects last = driver().SendStep();
  EXPECT_FALSE(last.more);
  EXPECT_TRUE(last.kick_tx);
  EXPECT_EQ(last.work.kicks, 1u);
}

TEST_F(DriverTest, OrderOfSendsIsTheOrderOnTheRing) {
  pair_.RecordWire();
  for (uint32_t len = 1; len <= 50; ++len) {
    sender_.MustSendTo({kCidHost, kPort}, len);
    if (len % 7 == 0) pair_.Run();
  }
  pair_.Run();

  const auto& packets = pair_.wire().packets();
  ASSERT_EQ(packets.size(), 50u);
  for (uint32_t i = 0; i < 50; ++i) EXPECT_EQ(packets[i].hdr.len, i + 1);
}

TEST_F(DriverTest, ReclaimTakesBackAllThatIsUsed) {
  Queue(4);
  (void)driver().Submit();
  ASSERT_TRUE(pair_.device().OnTxKick());
  for (int i = 0; i < 4; ++i) (void)pair_.device().Step(pair_.now());
  ASSERT_EQ(driver().tx_in_flight(), 4u);  // three are used, one is in hand

  (void)driver().ReclaimStep();

  EXPECT_EQ(driver().tx_in_flight(), 1u);
}

TEST_F(DriverTest, SpuriousInterruptsDoNothing) {
  (void)driver().Submit();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(driver().ReclaimStep().work.descriptors, 0u);
    EXPECT_EQ(driver().RxStep(pair_.now()).work.packets, 0u);
  }
  EXPECT_EQ(driver().rx_posted(), 4u);
  EXPECT_TRUE(driver().status().ok());
}

class DriverRxTest : public DriverTest {
 protected:
  DriverRxTest() : DriverTest(WithRing(8)) {}

  // The host sends `count` datagrams, which the device puts on the ring.
  void Arrive(int count) {
    const DatagramEnd host = OpenDatagram(pair_, Side::kHost);
    for (int i = 0; i < count; ++i) host.MustSendTo({kTestGuestCid, kPort}, 10);
    pair_.Pause(Worker::kRx);
    pair_.Run();
    pair_.Resume(Worker::kRx);
  }
};

TEST_F(DriverRxTest, BuffersArePostedAgainOnlyBelowHalf) {
  EXPECT_EQ(driver().rx_posted(), 8u);
  Arrive(4);
  pair_.Run();
  EXPECT_EQ(driver().rx_posted(), 4u);

  Arrive(1);
  pair_.Run();

  EXPECT_EQ(driver().rx_posted(), 8u);
}

TEST_F(DriverRxTest, WorkerTakesOnePacketAStep) {
  Arrive(3);
  int steps = 0;
  for (bool more = true; more; ++steps) {
    const Effects effects = driver().RxStep(pair_.now());
    EXPECT_LE(effects.work.packets, 1u);
    more = effects.more;
  }

  EXPECT_EQ(steps, 4);
  EXPECT_EQ(LostFor(pair_, DropReason::kNoSocket).packets, 3u);
}

TEST_F(DriverRxTest, InterruptsAreOffWhileTheWorkerRuns) {
  Arrive(1);
  ASSERT_TRUE(driver().RxStep(pair_.now()).more);

  const DatagramEnd host = OpenDatagram(pair_, Side::kHost);
  host.MustSendTo({kTestGuestCid, kPort}, 10);
  ASSERT_TRUE(pair_.device().Submit());
  Effects effects;
  for (int i = 0; i < 3; ++i) effects += pair_.device().Step(pair_.now());

  EXPECT_FALSE(effects.interrupt_rx);
  EXPECT_EQ(effects.work.interrupts_suppressed, 1u);
}

// Requests to a closed port, which the guest must answer over a tx ring that
// nobody serves.
TEST_F(DriverRxTest, WorkerStopsAtOneRingOfRepliesAndGoesOnWhenTheyLeave) {
  Queue(8);  // fills the tx ring
  (void)driver().Submit();
  for (int i = 0; i < 20; ++i) BeginConnect(pair_, Side::kHost, kPort);
  ASSERT_TRUE(pair_.device().Submit());
  for (int round = 0; round < 50; ++round) {  // the device serves rx alone
    while (pair_.device().Step(pair_.now()).more) {
    }
    while (driver().RxStep(pair_.now()).more) {
    }
    (void)pair_.device().OnRxKick();
  }
  EXPECT_EQ(list().replies(), 8u);
  EXPECT_EQ(pair_.guest_sockets().counters().received[1], 8u);

  (void)pair_.device().OnTxKick();
  for (const Worker worker : kAllWorkers) pair_.WakeSpuriously(worker);
  pair_.Run();

  EXPECT_EQ(list().replies(), 0u);
  EXPECT_EQ(pair_.guest_sockets().counters().received[1], 20u);
}

struct RingKind {
  bool event_idx;
  bool indirect;
};

// The same traffic over each kind of ring, of the smallest size.
class RingKindTest : public ::testing::TestWithParam<RingKind> {};

INSTANTIATE_TEST_SUITE_P(AllKinds, RingKindTest,
                         ::testing::Values(RingKind{false, false},
                                           RingKind{false, true},
                                           RingKind{true, false},
                                           RingKind{true, true}));

TEST_P(RingKindTest, StreamsAndDatagramsPassBothWays) {
  VsockPair pair(WithRing(2, GetParam().event_idx, GetParam().indirect));
  for (const Side side : {Side::kGuest, Side::kHost}) {
    const Ends ends = Connect(pair, side);
    const DatagramEnd receiver = OpenDatagram(pair, Other(side), kPort);
    const DatagramEnd sender = OpenDatagram(pair, side);
    const std::vector<std::byte> bytes = Pattern(100000);
    ends.client.SendBytes(bytes);
    sender.MustSendTo(receiver.address(), Pattern(4000));
    pair.Run();

    EXPECT_TRUE(ends.server.Read(200000) == bytes);
    EXPECT_TRUE(receiver.Take() == Pattern(4000));
  }
}

TEST(DriverCreateTest, NamesSizesThatCannotWork) {
  const auto created = [](uint16_t ring, uint32_t rx_buffer) {
    Guest::Options options = VsockPair::Defaults().guest;
    options.driver.ring_size = ring;
    options.driver.rx_buffer_bytes = rx_buffer;
    return Guest::Create(options).status().code();
  };

  EXPECT_EQ(created(2, 45), absl::StatusCode::kOk);
  EXPECT_EQ(created(128, 65580), absl::StatusCode::kOk);
  EXPECT_EQ(created(128, 44), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(created(128, 65581), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(created(0, 4140), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(created(1, 4140), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(created(3, 4140), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace vsock
