// Tries virtqueue/packed_driver.h with a lawful device. With one that is not:
// used_descriptor_test.cc.

#include "virtqueue/packed_driver.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/indirect_table.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;
using Desc = RawPacked::Desc;

constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();

class PackedDriverTest : public testing::Test, public PackedDriverContext {
 protected:
  PackedDriverTest() : PackedDriverContext({.size = 5}) {}
};

TEST_F(PackedDriverTest, WritesReadableDescriptorsThenWritableOnes) {
  ASSERT_EQ(driver.Add({{{GuestAddr(0x1000), 44}, {GuestAddr(0x2000), 5}}},
                       {{{GuestAddr(0x3000), 6}}}, /*token=*/0),
            AddResult::kAdded);
  driver.Publish();

  const uint16_t id = IdAt(2);
  EXPECT_EQ(ring.Read(0), (Desc{0x1000, 44, id, 0x0080 | kDescNext}));
  EXPECT_EQ(ring.Read(1), (Desc{0x2000, 5, id, 0x0080 | kDescNext}));
  EXPECT_EQ(ring.Read(2), (Desc{0x3000, 6, id, 0x0080 | kDescWrite}));
}

TEST_F(PackedDriverTest, ShowsTheFirstOfABatchLast) {
  Add({1, 1}, {});
  Add({1}, {});

  EXPECT_EQ(ring.Read(0).flags, 0);
  EXPECT_TRUE(driver.Publish());
  EXPECT_EQ(ring.Read(0).flags, 0x0080 | kDescNext);
  EXPECT_EQ(ring.Read(2).flags, 0x0080);
  EXPECT_FALSE(driver.Publish());
}

TEST_F(PackedDriverTest, FlipsAvailAndUsedBehindTheLastSlot) {
  for (uint16_t slot = 0; slot < 5; ++slot) {
    Send();
    Use(slot, IdAt(slot), 1);
    driver.Collect();
  }

  Send();

  EXPECT_EQ(ring.Read(0).flags, 0x8000 | kDescWrite);
}

TEST_F(PackedDriverTest, LaysAListAcrossTheEndOfTheRing) {
  Add({1, 1, 1, 1}, {});
  driver.Publish();
  Use(0, IdAt(3), 0);
  driver.Collect();

  Add({7, 8}, {});
  driver.Publish();

  EXPECT_EQ(ring.Read(4).flags, 0x0080 | kDescNext);
  EXPECT_EQ(ring.Read(0).flags, 0x8000);
  EXPECT_EQ(ring.Read(0).len, 8u);
}

TEST_F(PackedDriverTest, HasRoomUntilEachSlotIsTaken) {
  EXPECT_EQ(Add({1, 1}, {1}), AddResult::kAdded);
  EXPECT_EQ(driver.free_descriptors(), 2);
  EXPECT_EQ(Add({1, 1}, {1}), AddResult::kNoRoom);
  EXPECT_EQ(Add({1}, {1}), AddResult::kAdded);
  EXPECT_EQ(Add({1}, {}), AddResult::kNoRoom);
  EXPECT_EQ(driver.in_flight(), 2u);
}

TEST_F(PackedDriverTest, SkipsAsManySlotsAsTheUsedListHas) {
  Add({1, 1}, {1}, /*token=*/1);
  Add({1}, {}, /*token=*/2);
  driver.Publish();
  const uint16_t first = IdAt(2);

  Use(0, IdAt(3), 0);
  EXPECT_EQ(driver.Collect()->token, 2u);
  EXPECT_FALSE(driver.Collect().has_value());
  Use(1, first, 1);
  EXPECT_EQ(driver.Collect()->token, 1u);

  EXPECT_EQ(driver.free_descriptors(), 5);
  EXPECT_EQ(Add({1, 1, 1, 1, 1}, {}), AddResult::kAdded);
}

TEST_F(PackedDriverTest, GivesNoTwoChainsOfTheRingOneId) {
  std::vector<bool> taken(5);
  for (uint16_t slot = 0; slot < 5; ++slot) {
    Send();
    ASSERT_LT(IdAt(slot), 5);
    EXPECT_FALSE(taken[IdAt(slot)]);
    taken[IdAt(slot)] = true;
  }
}

TEST_F(PackedDriverTest, IgnoresNextInAUsedDescriptor) {
  Send(/*token=*/9);
  ring.Write(0, {.len = 1,
                 .id = IdAt(0),
                 .flags = 0x8080 | kDescWrite | kDescNext | kDescIndirect});

  EXPECT_EQ(driver.Collect()->token, 9u);
}

TEST_F(PackedDriverTest, IgnoresALengthWithoutWrite) {
  Send();
  ring.Write(0, {.len = kMost, .id = IdAt(0), .flags = 0x8080});

  EXPECT_EQ(driver.Collect()->len, 0u);
}

TEST_F(PackedDriverTest, RefusesWhatIsNoLawfulListAndWritesNothing) {
  EXPECT_EQ(Add({}, {}), AddResult::kRefused);
  EXPECT_EQ(Add({1, 1, 1, 1, 1, 1}, {}), AddResult::kRefused);
  EXPECT_EQ(Add({kMost}, {2}), AddResult::kRefused);

  EXPECT_FALSE(driver.Publish());
  for (uint16_t slot = 0; slot < 5; ++slot) {
    EXPECT_EQ(ring.Read(slot), Desc{});
  }
}

TEST_F(PackedDriverTest, TakesAWritableListOf4GiBAndItsLength) {
  ASSERT_EQ(Add({}, {kMost, 1}), AddResult::kAdded);
  driver.Publish();

  Use(0, IdAt(1), kMost);

  EXPECT_EQ(driver.Collect()->len, kMost);
}

TEST_F(PackedDriverTest, GoesOnAfterItWasMoved) {
  Send(/*token=*/9);

  DriverQueue moved = std::move(driver);
  Use(0, IdAt(0), 1);

  EXPECT_EQ(moved.Collect()->token, 9u);
  EXPECT_EQ(moved.Add(Of({1}), {}, /*token=*/0), AddResult::kAdded);
}

TEST_F(PackedDriverTest, DelayedNotificationIsAskedForAtThreeQuarters) {
  PackedDriverContext context({.size = 8, .event_idx = true});
  for (int i = 0; i < 8; ++i) context.Send();

  EXPECT_FALSE(context.driver.EnableNotificationsDelayed());

  EXPECT_EQ(context.ring.DriverEvents().desc, 0x8006);
  EXPECT_EQ(context.ring.DriverEvents().flags, kEventsDesc);
}

TEST_F(PackedDriverTest, DelayedNotificationIsNotOfWhatIsNotPublished) {
  PackedDriverContext context({.size = 8, .event_idx = true});
  for (int i = 0; i < 4; ++i) context.Send();
  context.Add({1, 1, 1, 1}, {});

  context.driver.EnableNotificationsDelayed();

  EXPECT_EQ(context.ring.DriverEvents().desc, 0x8003);
}

TEST_F(PackedDriverTest, DelayedNotificationComesTooLateIfOneIsUsed) {
  Send();
  Send();
  Use(0, IdAt(0), 1);

  EXPECT_TRUE(driver.EnableNotificationsDelayed());
  driver.Collect();
  EXPECT_FALSE(driver.EnableNotificationsDelayed());
}

TEST(IndirectPackedDriverTest, PutsAListIntoOneSlotAndItsTable) {
  PackedDriverContext context(
      {.size = 3, .indirect = true, .indirect_table_entries = 3});
  ASSERT_EQ(context.Add({44, 5}, {6}), AddResult::kAdded);
  context.driver.Publish();

  const Desc refers = context.ring.Read(0);
  ASSERT_EQ(refers.flags, 0x0080 | kDescIndirect);
  ASSERT_EQ(refers.len, 48u);
  const IndirectTable<SharedPackedDescriptor> table(
      context.heap.Bytes(refers.addr, refers.len));
  const uint32_t lens[] = {44, 5, 6};
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(table.Load(i).tail.len, lens[i]);
    EXPECT_EQ(table.Load(i).tail.flags, i == 2 ? kDescWrite : 0);
  }
}

TEST(IndirectPackedDriverTest, GivesEachListATableOfItsOwn) {
  PackedDriverContext context(
      {.size = 3, .indirect = true, .indirect_table_entries = 2});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(context.Add({1, 1}, {}), AddResult::kAdded);
  }
  context.driver.Publish();

  EXPECT_EQ(context.Add({1, 1}, {}), AddResult::kNoRoom);
  for (uint16_t slot = 0; slot < 3; ++slot) {
    EXPECT_EQ(context.ring.Read(slot).addr,
              PackedDriverContext::kTables + 32u * context.IdAt(slot));
  }
}

TEST(IndirectPackedDriverTest, TakesNoTableForOneNorForMoreThanItHolds) {
  PackedDriverContext context(
      {.size = 5, .indirect = true, .indirect_table_entries = 3});
  context.Add({1}, {});
  context.Add({1, 1, 1, 1}, {});
  context.driver.Publish();

  EXPECT_EQ(context.ring.Read(0).flags, 0x0080);
  EXPECT_EQ(context.ring.Read(1).flags, 0x0080 | kDescNext);
  EXPECT_EQ(context.driver.free_descriptors(), 0);
}

TEST(PackedDriverCreateTest, ZeroesWhateverWasInTheRing) {
  const HeapMemory heap({{0, PackedRingBytes(7)}});
  for (std::byte& byte : heap.Bytes(0, PackedRingBytes(7))) byte = std::byte{9};

  const PackedRingAddrs addrs = LayPackedRing(GuestAddr(0), 7);
  ASSERT_TRUE(DriverQueue::Create(heap.memory(), addrs, {.size = 7}).ok());

  const RawPacked ring(heap.memory(), addrs, 7);
  for (uint16_t slot = 0; slot < 7; ++slot) EXPECT_EQ(ring.Read(slot), Desc{});
  EXPECT_EQ(ring.DriverEvents().flags, 0);
  EXPECT_EQ(ring.DeviceEvents().flags, 0);
}

}  // namespace
}  // namespace virtqueue
