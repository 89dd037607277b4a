#include "sim/jain_index.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace sim {
namespace {

std::optional<double> Jain(const std::vector<uint64_t>& shares) {
  return JainIndex(shares);
}

TEST(JainIndexTest, IsOneForEqualShares) {
  EXPECT_EQ(Jain({5, 5, 5}), 1);
  EXPECT_EQ(Jain({7}), 1);
}

TEST(JainIndexTest, IsTheShareOfThoseWhoHaveAnything) {
  EXPECT_EQ(Jain({8, 0, 0, 0}), 0.25);
  EXPECT_EQ(Jain({8, 8, 0, 0}), 0.5);
}

// (1 + 2 + 3)^2 / (3 * (1 + 4 + 9)).
TEST(JainIndexTest, FollowsTheFormula) {
  EXPECT_DOUBLE_EQ(*Jain({1, 2, 3}), 36.0 / 42.0);
}

TEST(JainIndexTest, DoesNotDependOnTheUnit) {
  EXPECT_DOUBLE_EQ(*Jain({1'000'000'000'000, 3'000'000'000'000}),
                   *Jain({1, 3}));
}

TEST(JainIndexTest, OfNothingIsNothing) {
  EXPECT_EQ(Jain({}), std::nullopt);
  EXPECT_EQ(Jain({0, 0}), std::nullopt);
}

}  // namespace
}  // namespace sim
