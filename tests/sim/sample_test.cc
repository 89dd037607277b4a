#include "sim/sample.h"

#include <cmath>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/sim/sleep_data.h"

namespace sim {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32.
TEST(SampleTest, SummarizesWithNMinusOne) {
  const Sample sample = *Summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});

  EXPECT_EQ(sample.n, 8u);
  EXPECT_EQ(sample.mean, 5);
  EXPECT_DOUBLE_EQ(sample.sd, std::sqrt(32.0 / 7));
}

TEST(SampleTest, SpreadSurvivesALargeMean) {
  const Sample sample = *Summarize(std::vector<double>{1e9 + 1, 1e9 + 3});

  EXPECT_EQ(sample.mean, 1e9 + 2);
  EXPECT_DOUBLE_EQ(sample.sd, std::sqrt(2));
}

TEST(SampleTest, OneValueHasAMeanAndNoSpread) {
  EXPECT_EQ(*Mean(std::vector<double>{7}), 7);
  EXPECT_EQ(
      Summarize(std::vector<double>{7}).status(),
      absl::InvalidArgumentError("one value has no spread; 2 are needed"));
}

TEST(SampleTest, NoValueHasNothing) {
  EXPECT_EQ(Mean({}).status(),
            absl::InvalidArgumentError("no values, so no mean"));
  EXPECT_FALSE(Summarize({}).ok());
}

TEST(SampleTest, WhatIsNotANumberIsRefused) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    const std::vector<double> values = {1, bad, 2};

    EXPECT_EQ(Mean(values).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Summarize(values).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// R, t.test(extra ~ group, data = sleep, paired = TRUE): the mean of the
// differences is -1.58, the interval -2.4598858 to -0.7001142.
TEST(SampleTest, MeanIntervalIsThePublishedOne) {
  const Sample pairs = *SummarizePairs(kSleepDrug1, kSleepDrug2);

  const Interval interval = MeanInterval(pairs, 0.95);

  EXPECT_NEAR(pairs.mean, -1.58, 1e-12);
  EXPECT_NEAR(interval.low, -2.4598858, 5e-8);
  EXPECT_NEAR(interval.high, -0.7001142, 5e-8);
}

TEST(SampleTest, MeanIntervalWithoutSpreadHasNoWidth) {
  const Interval interval = MeanInterval({.n = 5, .mean = 3, .sd = 0}, 0.95);

  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.high, 3);
}

TEST(SampleTest, PairsNeedEqualLengths) {
  EXPECT_EQ(SummarizePairs(std::vector<double>{1, 2}, std::vector<double>{1})
                .status(),
            absl::InvalidArgumentError("2 values cannot be paired with 1"));
}

TEST(SampleTest, CountGreaterTakesATieForHalfAPair) {
  EXPECT_EQ(CountGreater(std::vector<double>{1, 5}, std::vector<double>{0, 5}),
            2.5);
}

}  // namespace
}  // namespace sim
