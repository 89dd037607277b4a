#include "sim/published.h"

#include <cmath>

#include "gtest/gtest.h"
#include "sim/power.h"

namespace sim {
namespace {

// Not significant at 5 % with 7 runs an arm: 16 < t * sd * sqrt(2 / 7) with the
// quantile 2.178813 of 12 degrees of freedom (tables), so sd > 13.736.
TEST(PublishedTest, TheMailImpliesASpreadOfAtLeast13_7Percent) {
  EXPECT_NEAR(ImpliedByTheMail().spread_percent,
              16 / (2.178813 * std::sqrt(2.0 / 7)), 1e-4);
  EXPECT_NEAR(ImpliedByTheMail().spread_percent, 13.7, 0.05);
}

// The normal approximation gives 2 (1.959964 + 0.841621)^2 (13.736 / 16)^2 =
// 11.6, so about 12. With the t distribution 12 runs fall just short of 80 %.
TEST(PublishedTest, AtThatSpreadAboutTwelveRunsResolve16Percent) {
  const double normal = 2 * std::pow((1.959964 + 0.841621) * 13.736 / 16, 2);

  EXPECT_EQ(std::ceil(normal), 12);
  EXPECT_NEAR(ImpliedByTheMail().runs_needed, 12, 1);
  EXPECT_NEAR(ImpliedByTheMail().power_of_one_less, 0.8, 0.025);
}

TEST(PublishedTest, SevenRunsResolveLessThanWhatTheMailSaw) {
  const Implied implied = ImpliedByTheMail();

  EXPECT_GT(implied.resolves_percent, kPublishedDifferencePercent);
  EXPECT_NEAR(Power({.runs = kPublishedRuns, .alpha = 0.05},
                    implied.spread_percent, implied.resolves_percent),
              0.8, 1e-6);
}

}  // namespace
}  // namespace sim
