// Tries the device half with VIRTIO_F_IN_ORDER, on either ring: virtio 1.3, 6.2
// "Device Requirements: Reserved Feature Bits", 2.7.9 and 2.8.8.

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/broken.h"
#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;
using UsedElem = RawDriver::UsedElem;
using Desc = RawPacked::Desc;

constexpr char kNextInTable[] =
    "2.7.5.2: next is not the following descriptor, IN_ORDER";
constexpr char kNextInIndirect[] =
    "2.7.5.3.1: next is not the following descriptor, IN_ORDER";

constexpr Descriptor kReadable = {.addr = kBuffers, .len = 4};
constexpr Descriptor kWritable = {
    .addr = kBuffers, .len = 4, .flags = kDescWrite};

class SplitInOrderDeviceTest : public testing::Test, public DeviceContext {
 protected:
  SplitInOrderDeviceTest()
      : DeviceContext({.size = 8, .indirect = true, .in_order = true}) {}

  // Makes a chain of each descriptor available and pops it.
  void Take(const std::vector<Descriptor>& descs) {
    chains.resize(descs.size());
    for (uint16_t i = 0; i < descs.size(); ++i) {
      driver.SetDescriptor(i, descs[i]);
      driver.Offer(i);
      ASSERT_EQ(device.Pop(chains[i]), PopResult::kChain);
    }
  }

  std::vector<Chain> chains;
};

TEST_F(SplitInOrderDeviceTest, UsesReadableChainsByOneElementInTheFirstSlot) {
  Take({kReadable, kReadable, kReadable});

  for (Chain& taken : chains) device.Push(taken, 0);
  device.Publish();

  EXPECT_EQ(driver.UsedIdx(), 3);
  EXPECT_EQ(driver.Used(), (std::vector<UsedElem>{{2, 0}, {0, 0}, {0, 0}}));
}

TEST_F(SplitInOrderDeviceTest, SkipsWritableChainsOnlyIfCompletelyWritten) {
  Take({kWritable, kWritable, kWritable});

  device.Push(chains[0], 4);
  device.Push(chains[1], 3);
  device.Push(chains[2], 0);
  device.Publish();

  EXPECT_EQ(driver.Used(), (std::vector<UsedElem>{{1, 3}, {0, 0}, {2, 0}}));
}

TEST_F(SplitInOrderDeviceTest, DoesNotSkipAWritableChainWithNothingWritten) {
  Take({kWritable, kReadable});

  device.Push(chains[0], 0);
  device.Push(chains[1], 0);
  device.Publish();

  EXPECT_EQ(driver.Used(), (std::vector<UsedElem>{{0, 0}, {1, 0}}));
}

TEST_F(SplitInOrderDeviceTest, MakesABatchOfWhatIsPublishedTogether) {
  Take({kReadable, kReadable, kReadable});

  device.Push(chains[0], 0);
  device.Publish();
  device.Push(chains[1], 0);
  device.Push(chains[2], 0);
  device.Publish();

  EXPECT_EQ(driver.Used(), (std::vector<UsedElem>{{0, 0}, {2, 0}, {0, 0}}));
}

TEST_F(SplitInOrderDeviceTest, HoldsBackAChainUntilItsTurn) {
  Take({kReadable, kReadable});

  device.Push(chains[1], 0);
  EXPECT_FALSE(device.Publish());
  EXPECT_EQ(driver.UsedIdx(), 0);
  EXPECT_EQ(device.in_flight(), 1u);
  device.Push(chains[0], 0);
  EXPECT_TRUE(device.Publish());

  EXPECT_EQ(driver.UsedIdx(), 2);
  EXPECT_EQ(driver.Used()[0], (UsedElem{1, 0}));
  EXPECT_EQ(device.in_flight(), 0u);
}

TEST_F(SplitInOrderDeviceTest, AChainPutBackKeepsItsTurn) {
  Take({kReadable, kWritable});
  device.UnPop(chains[0]);
  device.Push(chains[1], 2);
  EXPECT_FALSE(device.Publish());

  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  EXPECT_EQ(chain.head(), 0u);
  device.Push(chain, 0);
  device.Publish();

  EXPECT_EQ(driver.UsedIdx(), 2);
  EXPECT_EQ(driver.Used()[0], (UsedElem{1, 2}));
}

TEST_F(SplitInOrderDeviceTest, AMovedChainKeepsItsTurn) {
  Take({kReadable, kReadable});
  Chain moved = std::move(chains[1]);

  device.Push(moved, 0);
  EXPECT_FALSE(device.Publish());
  device.Push(chains[0], 0);

  EXPECT_TRUE(device.Publish());
}

TEST_F(SplitInOrderDeviceTest, PushingWhatIsNotPendingIsOurOwnFault) {
  EXPECT_DEATH(device.Push(chain, 0), "");
}

TEST_F(SplitInOrderDeviceTest, TakesAChainThatGoesOnAtTheStartOfTheTable) {
  Put(7, {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 0}});
  Put(0, {kReadable});

  EXPECT_EQ(OfferAndPop(7), PopResult::kChain);
  EXPECT_EQ(chain.descriptors(), 2u);
}

TEST_F(SplitInOrderDeviceTest, NextThatLeavesOneOutBreaksTheQueue) {
  Put(0, {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 2},
          kReadable,
          kReadable});

  EXPECT_EQ(OfferAndPop(0), PopResult::kBroken);

  ExpectBrokenForGood(*this, kNextInTable);
}

TEST_F(SplitInOrderDeviceTest, NextBehindTheLastThatIsNot0BreaksTheQueue) {
  Put(7, {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 1}});
  Put(0, {kReadable, kReadable});

  EXPECT_EQ(OfferAndPop(7), PopResult::kBroken);

  ExpectBrokenForGood(*this, kNextInTable);
}

TEST_F(SplitInOrderDeviceTest, IndirectNextThatLeavesOneOutBreaksTheQueue) {
  constexpr uint64_t kTable = kBuffers + 0x800;
  driver.WriteTable(
      GuestAddr(kTable),
      {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 2},
       kReadable,
       kReadable});
  Put(0, {{.addr = kTable, .len = 48, .flags = kDescIndirect}});

  EXPECT_EQ(OfferAndPop(0), PopResult::kBroken);

  ExpectBrokenForGood(*this, kNextInIndirect);
}

TEST_F(SplitInOrderDeviceTest, AvailableIdxAheadByMoreThanTheSizeBreaksIt) {
  driver.SetAvailIdx(9);

  EXPECT_EQ(device.Pop(chain), PopResult::kBroken);

  ExpectBrokenForGood(
      *this, "2.7.13: available idx is ahead by more than the queue size");
}

TEST_F(SplitInOrderDeviceTest, UsesNothingMoreOnceItIsBroken) {
  Take({kReadable});
  driver.SetAvailIdx(100);
  ASSERT_EQ(device.Pop(chain), PopResult::kBroken);

  device.Push(chains[0], 0);

  EXPECT_FALSE(device.Publish());
  EXPECT_EQ(driver.UsedIdx(), 0);
}

// A driver may offer a descriptor twice; then there are two chains of it.
TEST_F(SplitInOrderDeviceTest, OneHeadOfferedAgainAndAgainIsUsedAsOften) {
  Put(0, {kReadable});
  std::vector<Chain> same(8);
  for (Chain& one : same) {
    driver.Offer(0);
    ASSERT_EQ(device.Pop(one), PopResult::kChain);
  }
  EXPECT_EQ(device.Pop(chain), PopResult::kEmpty);

  for (Chain& one : same) device.Push(one, 0);
  device.Publish();

  EXPECT_EQ(driver.UsedIdx(), 8);
  EXPECT_EQ(driver.Used()[0], (UsedElem{0, 0}));
}

class PackedInOrderDeviceTest : public testing::Test,
                                public PackedDeviceContext {
 protected:
  PackedInOrderDeviceTest()
      : PackedDeviceContext({.size = 5, .in_order = true}) {}

  // Makes a list available and pops it.
  Chain Take(const std::vector<Desc>& descs, uint16_t id) {
    Offer(descs, id);
    Chain taken;
    EXPECT_EQ(device.Pop(taken), PopResult::kChain);
    return taken;
  }

  static constexpr Desc kRead = {.addr = kBuffers, .len = 4};
  static constexpr Desc kWrite = {
      .addr = kBuffers, .len = 4, .flags = kDescWrite};
};

TEST_F(PackedInOrderDeviceTest, UsesReadableChainsByOneDescriptorOfTheLastId) {
  Chain first = Take({kRead, kRead}, /*id=*/7);
  Chain second = Take({kRead}, /*id=*/3);

  device.Push(first, 0);
  device.Push(second, 0);
  device.Publish();

  EXPECT_EQ(ring.Read(0), (Desc{kBuffers, 0, 3, 0x8080}));
  EXPECT_EQ(ring.Read(2), (Desc{kBuffers, 4, 3, 0x0080}));  // as it was
}

TEST_F(PackedInOrderDeviceTest, GoesOnBehindTheSlotsOfTheBatch) {
  Chain first = Take({kRead, kRead}, /*id=*/7);
  Chain second = Take({kRead}, /*id=*/3);
  device.Push(first, 0);
  device.Push(second, 0);
  device.Publish();

  Chain third = Take({kWrite}, /*id=*/1);
  device.Push(third, 2);
  device.Publish();

  EXPECT_EQ(ring.Read(3), (Desc{kBuffers, 2, 1, 0x8080 | kDescWrite}));
}

TEST_F(PackedInOrderDeviceTest, SkipsWritableChainsOnlyIfCompletelyWritten) {
  Chain first = Take({kWrite}, /*id=*/0);
  Chain second = Take({kWrite}, /*id=*/1);
  Chain third = Take({kWrite}, /*id=*/2);

  device.Push(first, 4);
  device.Push(second, 3);
  device.Push(third, 0);
  device.Publish();

  EXPECT_EQ(ring.Read(0), (Desc{kBuffers, 3, 1, 0x8080 | kDescWrite}));
  EXPECT_EQ(ring.Read(1), (Desc{kBuffers, 4, 1, 0x0080 | kDescWrite}));
  EXPECT_EQ(ring.Read(2), (Desc{kBuffers, 0, 2, 0x8080}));
}

TEST_F(PackedInOrderDeviceTest, HoldsBackAChainUntilItsTurn) {
  Chain first = Take({kRead}, /*id=*/0);
  Chain second = Take({kRead}, /*id=*/1);

  device.Push(second, 0);
  EXPECT_FALSE(device.Publish());
  EXPECT_EQ(ring.Read(0).flags, 0x0080);
  EXPECT_EQ(device.in_flight(), 1u);
  device.Push(first, 0);

  EXPECT_TRUE(device.Publish());
  EXPECT_EQ(ring.Read(0), (Desc{kBuffers, 0, 1, 0x8080}));
}

TEST_F(PackedInOrderDeviceTest, AChainPutBackKeepsItsTurn) {
  Chain first = Take({kRead}, /*id=*/0);
  Chain second = Take({kRead}, /*id=*/1);
  device.UnPop(first);
  device.Push(second, 0);
  EXPECT_FALSE(device.Publish());

  ASSERT_EQ(Pop(), PopResult::kChain);
  EXPECT_EQ(chain.head(), 0u);
  device.Push(chain, 0);

  EXPECT_TRUE(device.Publish());
  EXPECT_EQ(ring.Read(0).id, 1);
}

TEST_F(PackedInOrderDeviceTest, MoreSlotsThanItHasBreaksTheQueue) {
  for (uint16_t i = 0; i < 5; ++i) Take({kRead}, i);

  Offer({kRead});

  EXPECT_EQ(Pop(), PopResult::kBroken);
  EXPECT_EQ(Fault(), "2.8.16: descriptor changed before it was used");
}

}  // namespace
}  // namespace virtqueue
