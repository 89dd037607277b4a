// Tries virtqueue/packed_cursor.h against the plain arithmetic of a position.

#include "virtqueue/packed_cursor.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {
namespace {

class PackedCursorTest : public testing::Test {
 protected:
  PackedCursor CursorIn(uint16_t size) const {
    return PackedCursor::Available(
        *PackedRing::Map(heap_.memory(), LayPackedRing(GuestAddr(0), size),
                         size),
        PackedPosition());
  }

  const HeapMemory heap_{{{0, 256}}};
};

TEST_F(PackedCursorTest, IsWhereThePositionIsHoweverItGotThere) {
  for (uint16_t size = 1; size <= 5; ++size) {
    for (uint32_t slots = 0; slots <= size; ++slots) {
      PackedCursor cursor = CursorIn(size);
      PackedCursor steps = cursor;
      for (int i = 0; i < 7; ++i) {
        cursor.Advance(slots);
        for (uint32_t step = 0; step < slots; ++step) steps.Step();
      }
      const PackedPosition position(7 * slots % size,
                                    7 * slots / size % 2 == 0);
      EXPECT_TRUE(cursor == steps);
      EXPECT_EQ(cursor.off_wrap(), position.off_wrap());
      EXPECT_EQ(cursor.marks() >> 48, position.available());
    }
  }
}

TEST_F(PackedCursorTest, IsAsFarFromAnotherAsItWent) {
  for (uint16_t size = 1; size <= 5; ++size) {
    PackedCursor from = CursorIn(size);
    for (int i = 0; i < 2 * size; ++i, from.Step()) {
      for (uint32_t slots = 0; slots <= size; ++slots) {
        PackedCursor to = from;
        to.Advance(slots);
        EXPECT_EQ(from.DistanceTo(to), slots);
      }
    }
  }
}

TEST_F(PackedCursorTest, StepsAreShortUpToTheLastSlot) {
  PackedCursor cursor = CursorIn(5);
  SharedPackedDescriptor* const first = cursor.at();
  cursor.Step();

  EXPECT_EQ(cursor.ShortSteps(0), first + 1);
  EXPECT_EQ(cursor.ShortSteps(2), first + 3);
  EXPECT_EQ(cursor.ShortSteps(3), first + 4);
  EXPECT_EQ(cursor.ShortSteps(5), first + 4);
}

}  // namespace
}  // namespace virtqueue
