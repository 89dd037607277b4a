// Both halves of a split ring, in turn: what one adds the other pops, and back.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gtest/gtest.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

constexpr uint16_t kSize = 8;

class QueuePairTest : public testing::Test {
 protected:
  OwnedGuestMemory memory_ = *OwnedGuestMemory::Create(1 << 20);
  SplitRingAddrs addrs_ =
      LaySplitRing(memory_.Allocate(SplitRingBytes(kSize), kCacheLine), kSize);
  DriverQueue driver_ =
      *DriverQueue::Create(memory_.memory(), addrs_, {.size = kSize});
  DeviceQueue device_ =
      *DeviceQueue::Create(memory_.memory(), addrs_, {.size = kSize});
  GuestAddr buffer_ = memory_.Allocate(4096, 16);
  Chain chain_;
};

TEST_F(QueuePairTest, ChainComesOutAsItWentIn) {
  const DriverQueue::Buffer readable[] = {{buffer_, 44}};
  const DriverQueue::Buffer writable[] = {{buffer_ + 44, 100}};

  ASSERT_EQ(driver_.Add(readable, writable, /*token=*/7),
            DriverQueue::AddResult::kAdded);
  EXPECT_TRUE(driver_.Publish());
  ASSERT_EQ(device_.Pop(chain_), DeviceQueue::PopResult::kChain);

  EXPECT_EQ(chain_.readable_bytes(), 44u);
  EXPECT_EQ(chain_.writable_bytes(), 100u);
}

TEST_F(QueuePairTest, TokenAndLengthComeBackWhenUsed) {
  const DriverQueue::Buffer writable[] = {{buffer_, 100}};
  ASSERT_EQ(driver_.Add({}, writable, /*token=*/7),
            DriverQueue::AddResult::kAdded);
  driver_.Publish();
  ASSERT_EQ(device_.Pop(chain_), DeviceQueue::PopResult::kChain);

  device_.Push(chain_, /*written=*/60);
  EXPECT_FALSE(driver_.Collect().has_value());
  EXPECT_TRUE(device_.Publish());
  const std::optional<DriverQueue::Used> used = driver_.Collect();

  ASSERT_TRUE(used.has_value());
  EXPECT_EQ(used->token, 7u);
  EXPECT_EQ(used->len, 60u);
  EXPECT_EQ(driver_.free_descriptors(), kSize);
}

}  // namespace
}  // namespace virtqueue
