// Tries virtqueue/driver_queue.h with a lawful device. With one that is not:
// ring_faults_test.cc.

#include "virtqueue/driver_queue.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/driver_context.h"
#include "virtqueue/indirect_table.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;

class DriverQueueTest : public testing::Test, public DriverContext {
 protected:
  DriverQueueTest() : DriverContext({.size = 4}) {}
};

TEST_F(DriverQueueTest, WritesReadableDescriptorsThenWritableOnes) {
  ASSERT_EQ(driver.Add({{{GuestAddr(0x1000), 44}, {GuestAddr(0x2000), 5}}},
                       {{{GuestAddr(0x3000), 6}}}, /*token=*/0),
            AddResult::kAdded);

  const Descriptor first = device.ReadDescriptor(device.Head(0));
  const Descriptor second = device.ReadDescriptor(first.next);
  const Descriptor third = device.ReadDescriptor(second.next);
  EXPECT_EQ(first.addr, 0x1000u);
  EXPECT_EQ(first.len, 44u);
  EXPECT_EQ(first.flags, kDescNext);
  EXPECT_EQ(second.addr, 0x2000u);
  EXPECT_EQ(second.len, 5u);
  EXPECT_EQ(second.flags, kDescNext);
  EXPECT_EQ(third.addr, 0x3000u);
  EXPECT_EQ(third.len, 6u);
  EXPECT_EQ(third.flags, kDescWrite);
}

TEST_F(DriverQueueTest, WritesALoneDescriptorWithoutNext) {
  Add({7}, {});
  Add({}, {8});

  const Descriptor readable = device.ReadDescriptor(device.Head(0));
  const Descriptor writable = device.ReadDescriptor(device.Head(1));
  EXPECT_EQ(readable.len, 7u);
  EXPECT_EQ(readable.flags, 0);
  EXPECT_EQ(writable.len, 8u);
  EXPECT_EQ(writable.flags, kDescWrite);
}

TEST_F(DriverQueueTest, ShowsNothingBeforePublish) {
  Add({1}, {});
  Add({1}, {});

  EXPECT_EQ(device.AvailIdx(), 0);
  EXPECT_TRUE(driver.Publish());
  EXPECT_EQ(device.AvailIdx(), 2);
  EXPECT_FALSE(driver.Publish());
}

TEST_F(DriverQueueTest, HasRoomUntilEachDescriptorIsTaken) {
  EXPECT_EQ(Add({1, 1}, {1}), AddResult::kAdded);
  EXPECT_EQ(driver.free_descriptors(), 1);
  EXPECT_EQ(Add({1, 1}, {}), AddResult::kNoRoom);
  EXPECT_EQ(Add({1}, {}), AddResult::kAdded);
  EXPECT_EQ(driver.free_descriptors(), 0);
  EXPECT_EQ(Add({1}, {}), AddResult::kNoRoom);
  EXPECT_EQ(driver.in_flight(), 2u);
}

TEST_F(DriverQueueTest, HasAllDescriptorsBackAfterWhateverOrderOfUse) {
  Add({1, 1}, {1}, /*token=*/1);
  Add({1}, {}, /*token=*/2);
  driver.Publish();

  device.Use(device.Head(1), 0);
  device.Use(device.Head(0), 1);

  EXPECT_EQ(driver.Collect()->token, 2u);
  EXPECT_EQ(driver.free_descriptors(), 1);
  EXPECT_EQ(driver.Collect()->token, 1u);
  EXPECT_EQ(driver.free_descriptors(), 4);
  EXPECT_EQ(Add({1, 1, 1, 1}, {}), AddResult::kAdded);
}

TEST_F(DriverQueueTest, RefusesAChainOfNoDescriptors) {
  EXPECT_EQ(Add({}, {}), AddResult::kRefused);
  EXPECT_FALSE(driver.Publish());
}

TEST_F(DriverQueueTest, TakesAnyTokenAndGivesItBack) {
  const uint64_t tokens[] = {0, 1, std::numeric_limits<uint64_t>::max()};
  for (const uint64_t token : tokens) {
    const uint16_t head = Send(token);
    device.Use(head, 1);

    const std::optional<DriverQueue::Used> used = driver.Collect();

    ASSERT_TRUE(used.has_value());
    EXPECT_EQ(used->token, token);
    EXPECT_EQ(used->len, 1u);
  }
}

TEST_F(DriverQueueTest, TakesAWritableChainOf4GiBAndItsLength) {
  const uint32_t most = std::numeric_limits<uint32_t>::max();
  ASSERT_EQ(Add({}, {most, 1}), AddResult::kAdded);
  driver.Publish();

  device.Use(device.Head(0), most);

  EXPECT_EQ(driver.Collect()->len, most);
}

TEST_F(DriverQueueTest, GoesOnAfterItWasMoved) {
  const uint16_t head = Send(/*token=*/9);

  DriverQueue moved = std::move(driver);
  device.Use(head, 1);

  EXPECT_EQ(moved.Collect()->token, 9u);
  EXPECT_EQ(moved.Add(Of({1}), {}, /*token=*/0), AddResult::kAdded);
}

TEST_F(DriverQueueTest, DelayedNotificationIsAskedForAtThreeQuarters) {
  DriverContext context({.size = 8, .event_idx = true});
  for (int i = 0; i < 8; ++i) context.Send();

  EXPECT_FALSE(context.driver.EnableNotificationsDelayed());

  EXPECT_EQ(context.device.UsedEvent(), 6);
}

TEST_F(DriverQueueTest, DelayedNotificationComesTooLateIfMoreAreUsed) {
  DriverContext context({.size = 8, .event_idx = true});
  std::vector<uint16_t> heads;
  for (int i = 0; i < 8; ++i) heads.push_back(context.Send());

  for (int i = 0; i < 6; ++i) context.device.Use(heads[i], 1);
  EXPECT_FALSE(context.driver.EnableNotificationsDelayed());
  context.device.Use(heads[6], 1);
  EXPECT_TRUE(context.driver.EnableNotificationsDelayed());
}

class IndirectDriverQueueTest : public testing::Test, public DriverContext {
 protected:
  IndirectDriverQueueTest()
      : DriverContext(
            {.size = 4, .indirect = true, .indirect_table_entries = 3}) {}

  Descriptor TableEntry(const Descriptor& refers, uint32_t index) const {
    return IndirectTable<SharedDescriptor>(heap.Bytes(refers.addr, refers.len))
        .Load(index);
  }
};

TEST_F(IndirectDriverQueueTest, PutsAChainIntoOneDescriptorAndItsTable) {
  ASSERT_EQ(Add({44, 5}, {6}), AddResult::kAdded);

  EXPECT_EQ(driver.free_descriptors(), 3);
  const Descriptor refers = device.ReadDescriptor(device.Head(0));
  ASSERT_EQ(refers.flags, kDescIndirect);
  ASSERT_EQ(refers.len, 48u);
  EXPECT_EQ(TableEntry(refers, 0).len, 44u);
  EXPECT_EQ(TableEntry(refers, 0).flags, kDescNext);
  EXPECT_EQ(TableEntry(refers, 0).next, 1);
  EXPECT_EQ(TableEntry(refers, 1).flags, kDescNext);
  EXPECT_EQ(TableEntry(refers, 1).next, 2);
  EXPECT_EQ(TableEntry(refers, 2).len, 6u);
  EXPECT_EQ(TableEntry(refers, 2).flags, kDescWrite);
}

TEST_F(IndirectDriverQueueTest, GivesEachChainATableOfItsOwn) {
  for (int i = 0; i < 4; ++i) ASSERT_EQ(Add({1, 1, 1}, {}), AddResult::kAdded);

  EXPECT_EQ(Add({1, 1, 1}, {}), AddResult::kNoRoom);
  for (uint16_t slot = 0; slot < 4; ++slot) {
    const uint16_t head = device.Head(slot);
    EXPECT_EQ(device.ReadDescriptor(head).addr, kTables + 48u * head);
  }
}

TEST_F(IndirectDriverQueueTest, TakesNoTableForOneDescriptor) {
  Add({1}, {});

  EXPECT_EQ(device.ReadDescriptor(device.Head(0)).flags, 0);
}

TEST_F(IndirectDriverQueueTest, TakesNoTableForMoreThanItHolds) {
  ASSERT_EQ(Add({1, 1, 1, 1}, {}), AddResult::kAdded);

  EXPECT_EQ(device.ReadDescriptor(device.Head(0)).flags, kDescNext);
  EXPECT_EQ(driver.free_descriptors(), 0);
}

TEST_F(IndirectDriverQueueTest, MixesShapesAndHasAllDescriptorsBack) {
  const std::vector<std::vector<uint32_t>> shapes = {
      {1}, {1, 1}, {1, 1, 1}, {1, 1, 1, 1}, {1, 1}};
  for (int round = 0; round < 20; ++round) {
    for (const std::vector<uint32_t>& shape : shapes) {
      ASSERT_EQ(Add(shape, {}), AddResult::kAdded);
      driver.Publish();
      device.Use(device.Head((device.AvailIdx() - 1) & 3), 0);
      ASSERT_TRUE(driver.Collect().has_value());
      ASSERT_EQ(driver.free_descriptors(), 4);
    }
  }
}

TEST(DriverQueueCreateTest, ZeroesWhateverWasInTheRing) {
  const HeapMemory heap({{0, SplitRingBytes(8)}});
  for (std::byte& byte : heap.Bytes(0, SplitRingBytes(8))) byte = std::byte{9};

  const SplitRingAddrs addrs = LaySplitRing(GuestAddr(0), 8);
  ASSERT_TRUE(DriverQueue::Create(heap.memory(), addrs, {.size = 8}).ok());

  const auto zero = [&](GuestAddr at, uint32_t len) {
    for (const std::byte byte : heap.Bytes(at.value(), len)) {
      if (byte != std::byte{0}) return false;
    }
    return true;
  };
  EXPECT_TRUE(zero(addrs.desc, 16 * 8));
  EXPECT_TRUE(zero(addrs.avail, 6 + 2 * 8));
  EXPECT_TRUE(zero(addrs.used, 6 + 8 * 8));
}

TEST(DriverQueueCreateTest, RefusesWhatSplitRingMapRefuses) {
  const HeapMemory heap({{0, 4096}});
  const SplitRingAddrs addrs = LaySplitRing(GuestAddr(0), 8);
  SplitRingAddrs misaligned = addrs;
  misaligned.desc = misaligned.desc + 8;
  SplitRingAddrs outside = addrs;
  outside.avail = GuestAddr(4096);

  const auto create = [&](const SplitRingAddrs& at, uint16_t size) {
    return DriverQueue::Create(heap.memory(), at, {.size = size})
        .status()
        .code();
  };
  EXPECT_EQ(create(addrs, 8), absl::StatusCode::kOk);
  EXPECT_EQ(create(addrs, 0), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(addrs, 12), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(misaligned, 8), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(outside, 8), absl::StatusCode::kOutOfRange);
}

TEST(DriverQueueCreateTest, RefusesTablesThatAreNotInMemory) {
  const HeapMemory heap({{0, SplitRingBytes(8) + 8 * 32}});
  const auto create = [&](uint64_t tables) {
    return DriverQueue::Create(heap.memory(), LaySplitRing(GuestAddr(0), 8),
                               {.size = 8,
                                .indirect = true,
                                .indirect_tables = GuestAddr(tables),
                                .indirect_table_entries = 2})
        .status()
        .code();
  };

  EXPECT_EQ(create(SplitRingBytes(8)), absl::StatusCode::kOk);
  EXPECT_EQ(create(SplitRingBytes(8) + 1), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(create(SplitRingBytes(8) - 4), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace virtqueue
