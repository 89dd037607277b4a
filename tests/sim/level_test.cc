#include "sim/level.h"

#include <optional>

#include "gtest/gtest.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;

TEST(LevelTest, MeanIsWeightedByTime) {
  Level level(Instant(100));

  level.Set(Instant(110), 3);  // 0 for 10
  level.Set(Instant(130), 1);  // 3 for 20

  EXPECT_EQ(level.Area(Instant(140)), 70);  // 1 for 10
  EXPECT_EQ(level.Mean(Instant(140)), 70 / 40.0);
}

TEST(LevelTest, GreatestValueIsKeptEvenIfItLastedForNoTime) {
  Level level(Instant(0));

  level.Add(Instant(5), 7);
  level.Add(Instant(5), -4);

  EXPECT_EQ(level.value(), 3);
  EXPECT_EQ(level.max(), 7);
  EXPECT_EQ(level.Area(Instant(5)), 0);
}

TEST(LevelTest, MeanOfNoTimeIsNothing) {
  EXPECT_EQ(Level(Instant(9)).Mean(Instant(9)), std::nullopt);
}

}  // namespace
}  // namespace sim
