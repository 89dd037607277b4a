#include "sim/comparison.h"

#include <vector>

#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "sim/values.h"

namespace sim {
namespace {

constexpr Planned kMail = {.runs = 7, .difference_percent = 16};

ComparisonResult Of(std::vector<double> arm, std::vector<double> against) {
  return Compare(Scenario::Comparison(), {std::move(arm), std::move(against)},
                 kMail);
}

// By hand: means 11 and 10, variances 1 and 1, n = 3: standard error
// sqrt(2/3), t = 1.224745, 4 degrees of freedom; p = 0.287864 (the t
// distribution with 4 degrees has a closed form); quantile 2.776445.
TEST(ComparisonTest, GivesDifferenceIntervalAndWelchsTest) {
  const ComparisonResult result = Of({10, 11, 12}, {9, 10, 11});

  EXPECT_NEAR(result.difference_percent(), 10, 1e-6);
  EXPECT_NEAR(result.difference_low_percent(), 10 - 22.66959, 1e-4);
  EXPECT_NEAR(result.difference_high_percent(), 10 + 22.66959, 1e-4);
  EXPECT_NEAR(result.welch_t(), 1.224745, 1e-6);
  EXPECT_NEAR(result.welch_degrees_of_freedom(), 4, 1e-6);
  EXPECT_NEAR(result.welch_p(), 0.287864, 1e-6);
}

// Of 20 orders of three and three values U = 9 and U = 0 are the extremes.
TEST(ComparisonTest, GivesTheRankTest) {
  const ComparisonResult result = Of({10, 11, 12}, {1, 2, 3});

  EXPECT_EQ(result.mann_whitney_u(), 9);
  EXPECT_NEAR(result.mann_whitney_p(), 2.0 / 20, 1e-9);
  EXPECT_EQ(result.mann_whitney_method(), "exact");
  EXPECT_EQ(result.cliffs_delta(), 1);
}

// Pairs differ by exactly 1 of 10, however much the arms spread.
TEST(ComparisonTest, PairsReplicatesWithEqualSeeds) {
  const ComparisonResult result = Of({6, 11, 16}, {5, 10, 15});

  EXPECT_NEAR(result.paired_low_percent(), 10, 1e-6);
  EXPECT_NEAR(result.paired_high_percent(), 10, 1e-6);
}

// Variances 1 and 4, so the pooled spread is sqrt(2.5) of a mean of 10.
TEST(ComparisonTest, StatesThePowerAtThePooledSpread) {
  const ComparisonResult result = Of({10, 11, 12}, {8, 10, 12});

  ASSERT_TRUE(result.has_power());
  EXPECT_NEAR(result.power().spread_percent(), 15.811388, 1e-6);
  EXPECT_EQ(result.power().runs(), 7u);
  EXPECT_GT(result.power().resolves_percent(), 16);
  EXPECT_GT(result.power().runs_needed(), 7u);
}

TEST(ComparisonTest, WithoutSpreadThereIsADifferenceButNoTest) {
  const ComparisonResult result = Of({11, 11}, {10, 10});

  EXPECT_NEAR(result.difference_percent(), 10, 1e-6);
  EXPECT_FALSE(result.has_welch_p());
  EXPECT_FALSE(result.has_power());
}

TEST(ComparisonTest, TooFewRunsCompareNothing) {
  const ComparisonResult result = Of({11}, {10});

  EXPECT_EQ(result.n(), 1u);
  EXPECT_FALSE(result.has_difference_percent());
}

TEST(ComparisonTest, NothingIsAPercentageOfNothing) {
  const ComparisonResult result = Of({1, 2}, {0, 0});

  EXPECT_FALSE(result.has_difference_percent());
  EXPECT_FALSE(result.has_power());
}

}  // namespace
}  // namespace sim
