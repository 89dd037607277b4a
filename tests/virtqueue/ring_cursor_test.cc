// Tries virtqueue/ring_cursor.h.

#include "virtqueue/ring_cursor.h"

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "virtqueue/ring_array.h"

namespace virtqueue {
namespace {

class RingCursorTest : public testing::Test {
 protected:
  std::array<int, 8> entries_ = {};
  const RingArray<int> ring_{absl::MakeSpan(entries_)};
};

TEST_F(RingCursorTest, IsAtTheEntryOfItsCount) {
  for (uint64_t begin = 0; begin < 20; ++begin) {
    RingCursor<int> cursor(ring_, begin);
    for (uint64_t steps = 0; steps < 20; ++steps, cursor.Step()) {
      EXPECT_EQ(cursor.count(), begin + steps);
      EXPECT_EQ(cursor.at(), &entries_[(begin + steps) % 8]);
      EXPECT_EQ(cursor.at_last(), (begin + steps) % 8 == 7);
    }
  }
}

TEST_F(RingCursorTest, IsThereByManyStepsAtOnceToo) {
  for (uint64_t by = 0; by < 20; ++by) {
    RingCursor<int> cursor(ring_, 13);
    cursor.Advance(ring_, by);
    EXPECT_EQ(cursor.count(), 13 + by);
    EXPECT_EQ(cursor.at(), &entries_[(13 + by) % 8]);
  }
}

TEST_F(RingCursorTest, StepsAreShortUpToTheLastEntry) {
  const RingCursor<int> cursor(ring_, 12);

  EXPECT_EQ(cursor.ShortSteps(0), &entries_[4]);
  EXPECT_EQ(cursor.ShortSteps(2), &entries_[6]);
  EXPECT_EQ(cursor.ShortSteps(3), &entries_[7]);
  EXPECT_EQ(cursor.ShortSteps(9), &entries_[7]);
}

}  // namespace
}  // namespace virtqueue
