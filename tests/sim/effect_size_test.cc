#include "sim/effect_size.h"

#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sim/sample.h"

namespace sim {
namespace {

using Values = std::vector<double>;

TEST(EffectSizeTest, CohensDIsInUnitsOfThePooledSpread) {
  // Pooled variance (4 * 4 + 9 * 9) / 13.
  const auto d =
      CohensD({.n = 5, .mean = 10, .sd = 2}, {.n = 10, .mean = 4, .sd = 3});

  EXPECT_DOUBLE_EQ(*d, 6 / std::sqrt(97.0 / 13));
}

// Gamma(1) / Gamma(1 / 2) for 2 degrees of freedom, Gamma(2) / (sqrt(2)
// Gamma(3 / 2)) for 4; for many, Hedges's approximation 1 - 3 / (4 df - 1).
TEST(EffectSizeTest, HedgesGHasTheCorrectionOfTheClosedForm) {
  const double pi = std::acos(-1.0);
  const auto g_of_unit_d = [](size_t n) {
    return *HedgesG({.n = n, .mean = 1, .sd = 1}, {.n = n, .mean = 0, .sd = 1});
  };

  EXPECT_DOUBLE_EQ(g_of_unit_d(2), 1 / std::sqrt(pi));
  EXPECT_DOUBLE_EQ(g_of_unit_d(3), std::sqrt(2 / pi));
  EXPECT_NEAR(g_of_unit_d(26), 1 - 3.0 / 199, 1e-4);
}

TEST(EffectSizeTest, WithoutSpreadThereIsNoD) {
  const Sample a = {.n = 5, .mean = 3, .sd = 0};
  const Sample b = {.n = 5, .mean = 2, .sd = 0};

  EXPECT_EQ(CohensD(a, b).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(HedgesG(a, b).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(EffectSizeTest, CliffsDeltaGoesFromNeverToAlways) {
  EXPECT_EQ(*CliffsDelta(Values{1, 2}, Values{3, 4, 5}), -1);
  EXPECT_EQ(*CliffsDelta(Values{8, 9}, Values{3, 4, 5}), 1);
  EXPECT_EQ(*CliffsDelta(Values{3, 4, 5}, Values{3, 4, 5}), 0);
}

// Of the six pairs one is greater, one is equal and four are less.
TEST(EffectSizeTest, CliffsDeltaIsTheExcessOfGreaterPairs) {
  EXPECT_DOUBLE_EQ(*CliffsDelta(Values{1, 4}, Values{2, 4, 5}), -3.0 / 6);
}

TEST(EffectSizeTest, CliffsDeltaNeedsPairs) {
  EXPECT_EQ(CliffsDelta(Values{}, Values{1}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sim
