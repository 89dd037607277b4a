// Fault D10 of the field in the socket device: a queue is reset while a packet
// of it is in hand. Whole runs with resets at random points: tests/property.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/device.h"
#include "vsock/driver.h"
#include "vsock/effects.h"
#include "vsock/guest.h"
#include "vsock/queue.h"

namespace vsock {
namespace {

constexpr Port kPort{9};

class D10QueueResetTest : public testing::Test {
 protected:
  Driver& driver() { return pair_.guest().driver(); }
  Device& device() { return pair_.device(); }

  // As many datagrams, of lengths from 1 on.
  void Send(const DatagramEnd& from, const DatagramEnd& to, uint32_t count) {
    for (uint32_t len = 1; len <= count; ++len) {
      from.MustSendTo(to.address(), len);
    }
    pair_.TakeUp();
  }
  // The lengths of all that arrived, in order.
  std::vector<uint32_t> Arrived(const DatagramEnd& end) {
    std::vector<uint32_t> lens;
    while (const auto bytes = end.Take()) {
      lens.push_back(static_cast<uint32_t>(bytes->size()));
    }
    return lens;
  }

  VsockPair pair_;
  DatagramEnd guest_ = OpenDatagram(pair_, Side::kGuest, kPort);
  DatagramEnd host_ = OpenDatagram(pair_, Side::kHost, kPort);
};

TEST_F(D10QueueResetTest, TxPacketInHandIsNotDeliveredButGoesOutAgain) {
  Send(guest_, host_, 3);
  pair_.Step(Worker::kDevice);
  pair_.Step(Worker::kDevice);  // one is delivered, one in hand

  device().ResetQueue(Queue::kTx);
  EXPECT_FALSE(device().Step(pair_.now()).interrupt_tx);
  EXPECT_EQ(device().tx_completed(), 1u);
  pair_.ResetQueue(Queue::kTx);

  pair_.Run();
  EXPECT_EQ(Arrived(host_), (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(D10QueueResetTest, RxPacketInHandGoesIntoABufferOfTheNewLife) {
  Send(host_, guest_, 3);
  pair_.Step(Worker::kDevice);
  pair_.Step(Worker::kDevice);

  pair_.ResetQueue(Queue::kRx);

  pair_.Run();
  EXPECT_EQ(Arrived(guest_), (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(D10QueueResetTest, PacketsReceivedBeforeTheResetComeBeforeThoseAfterIt) {
  Send(host_, guest_, 2);
  pair_.Pause(Worker::kRx);
  pair_.Run();  // both are used, none is taken up

  pair_.ResetQueue(Queue::kRx);
  host_.MustSendTo(guest_.address(), 3);
  pair_.Resume(Worker::kRx);

  pair_.Run();
  EXPECT_EQ(Arrived(guest_), (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(D10QueueResetTest, DeviceResetLosesNothingThatWasUnderWay) {
  Send(guest_, host_, 20);
  Send(host_, guest_, 20);
  for (int i = 0; i < 5; ++i) pair_.Step(Worker::kDevice);

  pair_.ResetDevice();

  pair_.Run();
  EXPECT_EQ(Arrived(host_).size(), 20u);
  EXPECT_EQ(Arrived(guest_).size(), 20u);
}

TEST_F(D10QueueResetTest, DriverTakesNothingBackFromADeviceThatWasNotReset) {
  Send(guest_, host_, 3);
  driver().StopQueue(Queue::kTx);

  const auto refused = driver().RestartQueue(
      Queue::kTx, /*is_reset=*/device().IsReset(Queue::kTx));

  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(driver().tx_in_flight(), 3u);
}

TEST_F(D10QueueResetTest, StoppedTxQueueTakesNoPackets) {
  driver().StopQueue(Queue::kTx);
  device().ResetQueue(Queue::kTx);

  Send(guest_, host_, 3);

  EXPECT_EQ(driver().tx_in_flight(), 0u);
  EXPECT_EQ(pair_.guest().send_list().size(), 3u);
}

TEST_F(D10QueueResetTest, DeviceWithoutQueuesSleepsAndIsNotBroken) {
  Send(guest_, host_, 1);
  host_.MustSendTo(guest_.address(), 1);
  device().ResetQueue(Queue::kTx);
  device().ResetQueue(Queue::kRx);

  device().OnTxKick();
  device().Submit();
  const Effects effects = device().Step(pair_.now());

  EXPECT_FALSE(effects.more || effects.interrupt_tx || effects.interrupt_rx);
  EXPECT_TRUE(device().idle());
  EXPECT_TRUE(device().status().ok());
}

}  // namespace
}  // namespace vsock
