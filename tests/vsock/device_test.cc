// The host's device between the rings and its transport, step by step.

#include "vsock/device.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/ring_view.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/effects.h"
#include "vsock/host.h"

namespace vsock {
namespace {

constexpr Port kPort{9};

VsockPair::Options WithRing(uint16_t size) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_size = size;
  return options;
}

class DeviceTest : public ::testing::Test {
 protected:
  explicit DeviceTest(const VsockPair::Options& options = WithRing(1024))
      : pair_(options),
        tx_(pair_.guest().memory(), pair_.guest().driver().layout().tx,
            options.guest.driver.ring_size),
        rx_(pair_.guest().memory(), pair_.guest().driver().layout().rx,
            options.guest.driver.ring_size) {
    for (const Worker worker : kAllWorkers) pair_.Pause(worker);
  }

  // Waiting on the tx ring and on the host's send list.
  void Offer(int from_guest, int from_host, uint32_t len) {
    const DatagramEnd guest = OpenDatagram(pair_, Side::kGuest);
    const DatagramEnd host = OpenDatagram(pair_, Side::kHost);
    for (const DatagramEnd& end : {guest, host}) {
      ASSERT_TRUE(end.sockets->SetSendBuffer(end.id, 212992).ok());
    }
    for (int i = 0; i < from_guest; ++i) {
      guest.MustSendTo({kCidHost, kPort}, len);
    }
    for (int i = 0; i < from_host; ++i) {
      host.MustSendTo({kTestGuestCid, kPort}, len);
    }
    pair_.TakeUp();
  }
  Effects RunDevice() {
    Effects total;
    bool more = true;
    while (more) {
      const Effects step = pair_.device().Step(pair_.now());
      total += step;
      more = step.more;
    }
    return total;
  }

  VsockPair pair_;
  RingView tx_;
  RingView rx_;
};

TEST_F(DeviceTest, UsedLengthIsZeroForTxAndHeaderAndPayloadForRx) {
  Offer(/*from_guest=*/2, /*from_host=*/2, /*len=*/10);
  (void)RunDevice();

  ASSERT_EQ(tx_.used_idx(), 2u);
  ASSERT_EQ(rx_.used_idx(), 2u);
  for (uint16_t i = 0; i < 2; ++i) {
    EXPECT_EQ(tx_.UsedEntry(i), (RingView::Used{tx_.AvailHead(i), 0}));
    EXPECT_EQ(rx_.UsedEntry(i), (RingView::Used{rx_.AvailHead(i), 54}));
  }
}

TEST_F(DeviceTest, OneStepFinishesOnePacket) {
  Offer(3, 0, 10);
  for (uint16_t done = 0; done < 3; ++done) {
    EXPECT_TRUE(pair_.device().Step(pair_.now()).more);
    EXPECT_EQ(tx_.used_idx(), done);  // the next is in hand
  }
  EXPECT_FALSE(pair_.device().Step(pair_.now()).more);
  EXPECT_EQ(tx_.used_idx(), 3u);
}

TEST_F(DeviceTest, OneInterruptATurnHoweverManyPackets) {
  Offer(100, 0, 10);
  const Effects effects = RunDevice();

  EXPECT_TRUE(effects.interrupt_tx);
  EXPECT_EQ(effects.work.interrupts, 1u);
  EXPECT_EQ(effects.work.packets, 100u);
}

TEST_F(DeviceTest, InterruptComesAtTheEndOfTheTurn) {
  Offer(3, 0, 10);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pair_.device().Step(pair_.now()).work.interrupts, 0u);
  }
  EXPECT_EQ(pair_.device().Step(pair_.now()).work.interrupts, 1u);
}

TEST_F(DeviceTest, TurnEndsAfter256PacketsAndTheOtherDirectionHasIts) {
  Offer(300, 1, 1);
  while (rx_.used_idx() == 0) (void)pair_.device().Step(pair_.now());

  EXPECT_EQ(tx_.used_idx(), 256u);
  (void)RunDevice();
  EXPECT_EQ(tx_.used_idx(), 300u);
}

TEST_F(DeviceTest, TurnEndsAfter512KiBAndTheOtherDirectionHasIts) {
  const Ends ends = [&] {
    for (const Worker worker : kAllWorkers) pair_.Resume(worker);
    const Ends connected[] = {Connect(pair_), Connect(pair_), Connect(pair_)};
    for (const Worker worker : kAllWorkers) pair_.Pause(worker);
    for (const Ends& each : connected) {
      for (int i = 0; i < 4; ++i) each.client.MustSend(65536);
    }
    return connected[0];
  }();
  const uint16_t tx_before = tx_.used_idx();
  const uint16_t rx_before = rx_.used_idx();
  ends.server.MustSend(1);
  pair_.TakeUp();

  while (rx_.used_idx() == rx_before) (void)pair_.device().Step(pair_.now());

  EXPECT_EQ(tx_.used_idx() - tx_before, 8);
}

TEST_F(DeviceTest, SendTurnEndsByWeightToo) {
  Offer(1, 270, 1);
  (void)pair_.device().Step(pair_.now());
  // The tx turn comes first; let it end, then ask for another one.
  while (tx_.used_idx() == 0) (void)pair_.device().Step(pair_.now());
  OpenDatagram(pair_, Side::kGuest).MustSendTo({kCidHost, kPort}, 1);
  pair_.TakeUp();

  while (tx_.used_idx() == 1) (void)pair_.device().Step(pair_.now());

  EXPECT_EQ(rx_.used_idx(), 256u);
}

TEST_F(DeviceTest, WeightsAreOptions) {
  VsockPair::Options options = WithRing(64);
  options.packet_weight = 4;
  VsockPair pair(options);
  const RingView tx(pair.guest().memory(), pair.guest().driver().layout().tx,
                    64);
  const RingView rx(pair.guest().memory(), pair.guest().driver().layout().rx,
                    64);
  const DatagramEnd guest = OpenDatagram(pair, Side::kGuest);
  const DatagramEnd host = OpenDatagram(pair, Side::kHost);
  for (int i = 0; i < 10; ++i) {
    guest.MustSendTo({kCidHost, kPort}, 1);
    host.MustSendTo({kTestGuestCid, kPort}, 1);
  }
  pair.TakeUp();
  std::string order;
  uint16_t tx_seen = 0;
  uint16_t rx_seen = 0;
  while (pair.HasWork(Worker::kDevice)) {
    pair.Step(Worker::kDevice);
    for (; tx_seen != tx.used_idx(); ++tx_seen) order += 't';
    for (; rx_seen != rx.used_idx(); ++rx_seen) order += 'r';
  }

  EXPECT_EQ(order, "ttttrrrrttttrrrrttrr");
}

TEST_F(DeviceTest, SpuriousKicksDoNothing) {
  for (int i = 0; i < 10; ++i) {
    (void)pair_.device().OnTxKick();
    (void)pair_.device().OnRxKick();
    EXPECT_FALSE(pair_.device().Step(pair_.now()).more);
  }

  EXPECT_TRUE(pair_.device().idle());
  EXPECT_TRUE(pair_.device().status().ok());
}

TEST_F(DeviceTest, KickDuringAStepIsNotLost) {
  Offer(1, 0, 10);
  ASSERT_TRUE(pair_.device().Step(pair_.now()).more);  // one is in hand
  OpenDatagram(pair_, Side::kGuest).MustSendTo({kCidHost, kPort}, 10);
  pair_.TakeUp();

  (void)RunDevice();

  EXPECT_EQ(tx_.used_idx(), 2u);
}

class DeviceReplyTest : public DeviceTest {
 protected:
  DeviceReplyTest() : DeviceTest(WithRing(8)) {}
};

// Requests to a closed port, which the host must answer over an rx ring whose
// buffers are all used.
TEST_F(DeviceReplyTest, TxSideStopsAtOneRingOfRepliesAndGoesOnWhenTheyLeave) {
  for (const Worker worker :
       {Worker::kDevice, Worker::kReclaim, Worker::kSend}) {
    pair_.Resume(worker);
  }
  Offer(0, 8, 10);  // uses up the rx buffers
  pair_.Run();
  ASSERT_EQ(rx_.used_idx(), 8u);
  for (int i = 0; i < 30; ++i) BeginConnect(pair_, Side::kGuest, kPort);
  pair_.Run();
  EXPECT_EQ(tx_.used_idx(), 8u);
  EXPECT_EQ(pair_.device().send_list().replies(), 8u);

  pair_.Resume(Worker::kRx);
  pair_.Run();

  EXPECT_EQ(tx_.used_idx(), 30u);
  EXPECT_EQ(pair_.device().send_list().replies(), 0u);
  EXPECT_EQ(pair_.guest_sockets().counters().received[3], 30u);
}

TEST(DeviceCreateTest, RefusesContextIdsThatNoGuestMayHave) {
  VsockPair pair;
  const auto created = [&](uint64_t cid) {
    return pair.host()
        .AddGuest(pair.guest().memory(),
                  {.cid = Cid(cid), .rings = pair.guest().driver().layout()})
        .status()
        .code();
  };

  for (const uint64_t cid :
       {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{0xffffffff},
        uint64_t{1} << 32 | 5, ~uint64_t{0}}) {
    EXPECT_EQ(created(cid), absl::StatusCode::kInvalidArgument) << cid;
  }
  EXPECT_EQ(created(0xfffffffe), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace vsock
