#include "sim/difference.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sim/sample.h"
#include "tests/sim/sleep_data.h"

namespace sim {
namespace {

// R, t.test(extra ~ group, data = sleep): the interval of the difference is
// -3.3654832 to 0.2054832, the means are 0.75 and 2.33.
TEST(DifferenceTest, WelchIntervalIsThePublishedOne) {
  const Difference difference =
      *WelchDifference(*Summarize(kSleepDrug1), *Summarize(kSleepDrug2),
                       /*reference=*/100, 0.95);

  EXPECT_NEAR(difference.percent, 0.75 - 2.33, 1e-12);
  EXPECT_NEAR(difference.interval.low, -3.3654832, 5e-8);
  EXPECT_NEAR(difference.interval.high, 0.2054832, 5e-8);
}

TEST(DifferenceTest, PairedIntervalIsThePublishedOneInPercent) {
  const Sample pairs = *SummarizePairs(kSleepDrug1, kSleepDrug2);

  const Difference difference = *PairedDifference(pairs, /*reference=*/2, 0.95);

  EXPECT_NEAR(difference.percent, 50 * -1.58, 1e-10);
  EXPECT_NEAR(difference.interval.low, 50 * -2.4598858, 5e-6);
  EXPECT_NEAR(difference.interval.high, 50 * -0.7001142, 5e-6);
}

TEST(DifferenceTest, NegativeReferenceKeepsTheEndsInOrder) {
  const Difference difference = *WelchDifference(
      {.n = 5, .mean = 3, .sd = 1}, {.n = 5, .mean = 2, .sd = 1}, -1, 0.95);

  EXPECT_DOUBLE_EQ(difference.percent, -100);
  EXPECT_LT(difference.interval.low, -100);
  EXPECT_GT(difference.interval.high, -100);
}

TEST(DifferenceTest, WithoutSpreadTheIntervalHasNoWidth) {
  const Difference difference = *WelchDifference(
      {.n = 5, .mean = 3, .sd = 0}, {.n = 5, .mean = 2, .sd = 0}, 2, 0.95);

  EXPECT_EQ(difference.percent, 50);
  EXPECT_EQ(difference.interval.low, 50);
  EXPECT_EQ(difference.interval.high, 50);
}

TEST(DifferenceTest, NothingIsAPercentageOfZeroOrOfNaN) {
  const Sample sample = {.n = 5, .mean = 3, .sd = 1};
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(WelchDifference(sample, sample, 0, 0.95).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PairedDifference(sample, nan, 0.95).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sim
