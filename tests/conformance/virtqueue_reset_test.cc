// virtio 1.3, 2.6.1 "Virtqueue Reset" and 2.4 "Device Reset": a test for each
// MUST of the sections that the model has to do with. docs/spec_map.md lists
// them by clause, with those that are left out.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/spec.h"
#include "tests/support/vsock_pair.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "vsock/device.h"
#include "vsock/driver.h"
#include "vsock/effects.h"
#include "vsock/guest.h"
#include "vsock/queue.h"

namespace vsock {
namespace {

using virtqueue::Chain;
using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::GuestAddr;
using virtqueue::RingFormat;

// A socket device with a packet for it in the tx ring, and one for the driver.
struct Busy {
  Busy() {
    const DatagramEnd guest = OpenDatagram(pair, Side::kGuest, Port(9));
    const DatagramEnd host = OpenDatagram(pair, Side::kHost, Port(9));
    guest.MustSendTo(host.address(), 100);
    host.MustSendTo(guest.address(), 100);
    pair.TakeUp();
  }

  // Both kicks, and as many steps as there may be something to do in.
  Effects Awake() {
    pair.device().OnTxKick();
    pair.device().OnRxKick();
    Effects effects;
    for (int i = 0; i < 5; ++i) effects += pair.device().Step(pair.now());
    return effects;
  }

  VsockPair pair;
};

TEST(VirtqueueReset, DeviceExecutesAndNotifiesNothingAfterIt) {
  Spec("1.3", "2.6.1.1.1", Level::kMustNot);
  Busy busy;

  busy.pair.device().ResetQueue(Queue::kTx);
  const Effects effects = busy.Awake();

  EXPECT_EQ(busy.pair.device().tx_completed(), 0u);
  EXPECT_FALSE(effects.interrupt_tx);
  EXPECT_EQ(busy.pair.device().rx_completed(), 1u);  // the other goes on
}

TEST(VirtqueueReset, DriverVerifiesThatTheQueueWasReset) {
  Spec("1.3", "2.6.1.1.2", Level::kMust);
  Spec("1.3", "3.3.1", Level::kMust);
  Busy busy;
  Driver& driver = busy.pair.guest().driver();
  driver.StopQueue(Queue::kTx);

  EXPECT_EQ(driver.RestartQueue(Queue::kTx, /*is_reset=*/false).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(driver.tx_in_flight(), 1u);
}

TEST(VirtqueueReset, DriverReleasesWhatTheQueueHadAfterIt) {
  Spec("1.3", "2.6.1.1.2", Level::kMay);
  Busy busy;
  Driver& driver = busy.pair.guest().driver();
  driver.StopQueue(Queue::kTx);
  busy.pair.device().ResetQueue(Queue::kTx);

  EXPECT_TRUE(driver.RestartQueue(Queue::kTx, /*is_reset=*/true).ok());
  EXPECT_EQ(driver.tx_added(), 1u);  // the same packet, in the new ring
}

TEST(DeviceReset, DeviceNeitherNotifiesNorTouchesTheQueuesAfterIt) {
  Spec("1.3", "2.4.1", Level::kMustNot);
  Busy busy;

  busy.pair.device().ResetQueue(Queue::kTx);
  busy.pair.device().ResetQueue(Queue::kRx);
  const Effects effects = busy.Awake();

  EXPECT_FALSE(effects.interrupt_tx || effects.interrupt_rx);
  EXPECT_EQ(busy.pair.device().tx_completed(), 0u);
  EXPECT_EQ(busy.pair.device().rx_completed(), 0u);
}

// Both halves of a ring of four, and room for one of eight elsewhere.
class ResetRingTest : public testing::TestWithParam<RingFormat> {
 protected:
  static constexpr uint64_t kElsewhere = 0x1000;

  // A chain of one byte goes all the way.
  static bool Transfer(DriverQueue& driver, DeviceQueue& device) {
    const DriverQueue::Buffer buffer = {GuestAddr(0x2000), 1};
    driver.Add({}, {&buffer, 1}, 0);
    driver.Publish();
    Chain chain;
    if (device.Pop(chain) != DeviceQueue::PopResult::kChain) return false;
    device.Push(chain, 1);
    device.Publish();
    return driver.Collect().has_value();
  }
  DriverQueue Driver(uint64_t at, uint16_t size) const {
    return *DriverQueue::Create(heap_.memory(),
                                LayRing(GetParam(), GuestAddr(at), size),
                                {.size = size});
  }

  HeapMemory heap_{{{0, 0x800}, {kElsewhere, 0x800}, {0x2000, 1}}};
  DriverQueue driver_ = Driver(0, 4);
  DeviceQueue device_ = *DeviceQueue::Create(
      heap_.memory(), LayRing(GetParam(), GuestAddr(0), 4), {.size = 4});
};

TEST_P(ResetRingTest, DeviceReturnsToTheDefaultState) {
  Spec("1.3", "2.6.1.1.1", Level::kMust);
  const virtqueue::DeviceState begin = device_.Save({});
  for (int i = 0; i < 5; ++i) Transfer(driver_, device_);
  device_.DisableNotifications();
  ASSERT_NE(device_.Save({}), begin);

  device_.Reset();
  ASSERT_TRUE(device_
                  .Restart(heap_.memory(), LayRing(GetParam(), GuestAddr(0), 4),
                           {.size = 4})
                  .ok());

  EXPECT_EQ(device_.Save({}), begin);
}

TEST_P(ResetRingTest, DeviceObservesAnotherPlaceAndSize) {
  Spec("1.3", "2.6.1.2.1", Level::kMust);
  Transfer(driver_, device_);

  DriverQueue driver = Driver(kElsewhere, 8);
  device_.Reset();
  ASSERT_TRUE(device_
                  .Restart(heap_.memory(),
                           LayRing(GetParam(), GuestAddr(kElsewhere), 8),
                           {.size = 8})
                  .ok());

  EXPECT_EQ(device_.size(), 8);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Transfer(driver, device_));
}

TEST_P(ResetRingTest, DriverSetsTheQueueUpAsInTheBeginning) {
  Spec("1.3", "2.6.1.2.2", Level::kMust);
  for (int i = 0; i < 5; ++i) Transfer(driver_, device_);

  device_.Reset();
  driver_ = Driver(0, 4);
  const DeviceQueue fresh = *DeviceQueue::Create(
      heap_.memory(), LayRing(GetParam(), GuestAddr(0), 4), {.size = 4});

  EXPECT_FALSE(fresh.HasAvailable());
  EXPECT_FALSE(driver_.Collect().has_value());
  EXPECT_EQ(driver_.free_descriptors(), 4);
  for (const std::byte byte : heap_.Bytes(0, 64)) EXPECT_EQ(byte, std::byte{0});
}

INSTANTIATE_TEST_SUITE_P(Formats, ResetRingTest,
                         testing::Values(RingFormat::kSplit,
                                         RingFormat::kPacked),
                         [](const auto& test) {
                           return test.param == RingFormat::kPacked ? "Packed"
                                                                    : "Split";
                         });

}  // namespace
}  // namespace vsock
