// Tries virtqueue/packed_notification.h.

#include "virtqueue/packed_notification.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/packed_cursor.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {
namespace {

// The position `slots` behind the first slot of the first lap, as the event
// suppression structure has it.
uint16_t After(uint32_t slots, uint32_t size) {
  return PackedPosition(slots % size, slots / size % 2 == 0).off_wrap();
}

// 2.8.10 taken literally: was any slot written, of those from number `from` to
// `to`, at this offset and while the wrap counter was this?
bool WroteSlot(uint32_t from, uint32_t to, uint32_t size, uint16_t off_wrap) {
  for (uint32_t i = from; i < to; ++i) {
    const bool counter = i / size % 2 == 0;
    if (off_wrap == (i % size | (counter ? 0x8000u : 0u))) return true;
  }
  return false;
}

TEST(PassedEventTest, IsTrueIfTheNamedSlotWasWrittenInTheNamedLap) {
  for (uint32_t size = 1; size <= 6; ++size) {
    for (uint32_t from = 0; from <= 4 * size; ++from) {
      for (uint32_t moved = 1; moved <= size; ++moved) {
        for (uint32_t name = 0; name < 2 * size; ++name) {
          const uint16_t off_wrap = After(name, size);
          ASSERT_EQ(
              PassedEvent(off_wrap, After(from + moved, size), moved, size),
              WroteSlot(from, from + moved, size, off_wrap))
              << size << " " << from << " " << moved << " " << name;
        }
      }
    }
  }
}

TEST(PassedEventTest, IsRightForTheLargestRing) {
  constexpr uint32_t kSize = 32768;
  const uint16_t next = After(kSize + 7, kSize);
  for (uint32_t name = 0; name < 2 * kSize; name += 97) {
    const uint16_t event = After(name, kSize);
    ASSERT_EQ(PassedEvent(event, next, kSize, kSize),
              WroteSlot(7, kSize + 7, kSize, event));
  }
}

class PackedNotificationTest : public testing::Test {
 protected:
  static constexpr uint16_t kSize = 3;

  const HeapMemory heap_{{{0, 256}}};
  const PackedRing ring_ = *PackedRing::Map(
      heap_.memory(), LayPackedRing(GuestAddr(0), kSize), kSize);

  // Does it, when the last `moved` of the first `slots` slots are published?
  bool NotifiesAfter(const PackedNotification& half, uint32_t slots,
                     uint32_t moved) const {
    PackedCursor first = PackedCursor::Used(ring_, PackedPosition());
    for (uint32_t i = moved; i < slots; ++i) first.Step();
    PackedCursor next = first;
    next.Advance(moved);
    return half.PeerMustBeNotified(first, next);
  }

  static void Expect(const Events& events, uint16_t flags, uint16_t desc) {
    EXPECT_EQ(events.flags, flags);
    EXPECT_EQ(events.desc, desc);
  }
};

TEST_F(PackedNotificationTest, EitherHalfSpeaksByItsOwnStructure) {
  auto driver = PackedNotification::OfDriver(ring_, /*event_idx=*/false);
  auto device = PackedNotification::OfDevice(ring_, /*event_idx=*/false);

  driver.Disable();
  Expect(ring_.driver_events->Load(), 1, 0);
  Expect(ring_.device_events->Load(), 0, 0);
  device.Disable();
  driver.Enable(After(2, kSize));
  Expect(ring_.driver_events->Load(), 0, 0);
  Expect(ring_.device_events->Load(), 1, 0);
}

TEST_F(PackedNotificationTest, NamesTheSlotAndTheCounterWithEventIdx) {
  auto driver = PackedNotification::OfDriver(ring_, /*event_idx=*/true);

  driver.Enable(After(2, kSize));
  Expect(ring_.driver_events->Load(), 2, 0x8002);
  driver.Enable(After(4, kSize));
  Expect(ring_.driver_events->Load(), 2, 0x0001);
  driver.Disable();
  Expect(ring_.driver_events->Load(), 1, 0);
}

TEST_F(PackedNotificationTest, NotifiesUnlessDisabled) {
  const auto device = PackedNotification::OfDevice(ring_, /*event_idx=*/false);

  EXPECT_TRUE(NotifiesAfter(device, 1, 1));
  ring_.driver_events->Store({.flags = 1});
  EXPECT_FALSE(NotifiesAfter(device, 1, 1));
}

TEST_F(PackedNotificationTest, NotifiesOfTheNamedSlotAloneWithEventIdx) {
  const auto device = PackedNotification::OfDevice(ring_, /*event_idx=*/true);
  ring_.driver_events->Store({.desc = 0x8001, .flags = 2});

  EXPECT_FALSE(NotifiesAfter(device, 1, 1));
  EXPECT_TRUE(NotifiesAfter(device, 2, 1));
  EXPECT_TRUE(NotifiesAfter(device, 3, 3));
  EXPECT_FALSE(NotifiesAfter(device, 3, 1));
  EXPECT_FALSE(NotifiesAfter(device, 5, 1));
}

TEST_F(PackedNotificationTest, TakesWhatIsReservedForAWishToBeNotified) {
  const auto with = PackedNotification::OfDevice(ring_, /*event_idx=*/true);
  const auto without = PackedNotification::OfDevice(ring_, /*event_idx=*/false);

  ring_.driver_events->Store({.desc = 0x8001, .flags = 3});
  EXPECT_TRUE(NotifiesAfter(with, 1, 1));
  ring_.driver_events->Store({.desc = 0x8001, .flags = 2});
  EXPECT_TRUE(NotifiesAfter(without, 1, 1));
  ring_.driver_events->Store({.desc = 0x8001, .flags = 0xfffd});
  EXPECT_FALSE(NotifiesAfter(with, 1, 1));
}

TEST_F(PackedNotificationTest, OffsetBeyondTheRingIsNeverReached) {
  const auto device = PackedNotification::OfDevice(ring_, /*event_idx=*/true);
  ring_.driver_events->Store({.desc = 0xffff, .flags = 2});

  for (uint32_t i = 1; i < 20; ++i) {
    EXPECT_FALSE(NotifiesAfter(device, i, 1));
  }
}

}  // namespace
}  // namespace virtqueue
