#include "sim/significance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sim/sample.h"
#include "tests/sim/sleep_data.h"

namespace sim {
namespace {

using Values = std::vector<double>;

// R, t.test(extra ~ group, data = sleep): t = -1.8608, df = 17.776,
// p-value = 0.07939.
TEST(WelchTestTest, GivesThePublishedFigures) {
  const TTest test =
      *WelchTest(*Summarize(kSleepDrug1), *Summarize(kSleepDrug2));

  EXPECT_NEAR(test.t, -1.8608, 5e-5);
  EXPECT_NEAR(test.df, 17.776, 5e-4);
  EXPECT_NEAR(test.p, 0.07939, 5e-6);
}

TEST(WelchTestTest, OneArmWithoutSpreadLeavesTheOthersDegreesOfFreedom) {
  const TTest test =
      *WelchTest({.n = 5, .mean = 3, .sd = 0}, {.n = 9, .mean = 2, .sd = 1.5});

  EXPECT_DOUBLE_EQ(test.df, 8);
  EXPECT_DOUBLE_EQ(test.t, 2);
}

TEST(WelchTestTest, EqualArmsAreStudents) {
  const TTest test = *WelchTest({.n = 7, .mean = 116, .sd = 13},
                                {.n = 7, .mean = 100, .sd = 13});

  EXPECT_DOUBLE_EQ(test.df, 12);
}

TEST(WelchTestTest, NeedsSpreadSomewhere) {
  const auto test =
      WelchTest({.n = 5, .mean = 3, .sd = 0}, {.n = 9, .mean = 2, .sd = 0});

  EXPECT_EQ(test.status(), absl::FailedPreconditionError(
                               "neither arm has any spread, so there is no t"));
}

// R, t.test(extra ~ group, data = sleep, paired = TRUE): t = -4.0621, df = 9,
// p-value = 0.002833.
TEST(PairedTestTest, GivesThePublishedFigures) {
  const TTest test = *PairedTest(kSleepDrug1, kSleepDrug2);

  EXPECT_NEAR(test.t, -4.0621, 5e-5);
  EXPECT_EQ(test.df, 9);
  EXPECT_NEAR(test.p, 0.002833, 5e-7);
}

TEST(PairedTestTest, NeedsPairsThatDiffer) {
  EXPECT_EQ(PairedTest(Values{1, 2, 3}, Values{0, 1, 2}).status(),
            absl::FailedPreconditionError(
                "all pairs differ by the same, so there is no t"));
  EXPECT_FALSE(PairedTest(Values{1, 2, 3}, Values{0, 1}).ok());
}

// R, the first example of wilcox.test for two samples, from Hollander and Wolfe
// 1973, page 69: W = 35, one-sided p-value = 0.1272.
TEST(MannWhitneyTestTest, GivesThePublishedExactFigures) {
  const UTest test = *MannWhitneyTest(
      Values{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
      Values{1.15, 0.88, 0.90, 0.74, 1.21});

  EXPECT_EQ(test.u, 35);
  EXPECT_NEAR(test.p, 2 * 0.1272, 1e-4);
  EXPECT_EQ(test.method, UTest::Method::kExact);
}

// R, wilcox.test(Ozone ~ Month, data = airquality, subset = Month %in% c(5,
// 8)): W = 127.5, p-value = 0.0001208, with continuity correction.
TEST(MannWhitneyTestTest, GivesThePublishedFiguresWithTies) {
  const UTest test = *MannWhitneyTest(
      Values{41, 36, 12, 18, 28, 23, 19, 8, 7,  16, 11, 14,  18,
             14, 34, 6,  30, 11, 1,  11, 4, 32, 23, 45, 115, 37},
      Values{39, 9,  16, 78, 35, 66, 122, 89,  110, 44, 28,  65, 22,
             59, 23, 31, 44, 21, 9,  45,  168, 73,  76, 118, 84, 85});

  EXPECT_EQ(test.u, 127.5);
  EXPECT_NEAR(test.p, 0.0001208, 5e-8);
  EXPECT_EQ(test.method, UTest::Method::kNormal);
}

// Orders of the ranks 1..m+n, counted one by one, whose U is as far from the
// middle as `u` or farther, as a share of all.
double CountedP(double u, size_t m, size_t n) {
  std::vector<int> is_a(m + n);
  std::fill(is_a.begin() + static_cast<ptrdiff_t>(n), is_a.end(), 1);
  const double middle = static_cast<double>(m * n) / 2;
  int far = 0;
  int all = 0;
  do {
    int of_order = 0;
    int below = 0;
    for (const int a : is_a) {
      of_order += a * below;
      below += 1 - a;
    }
    ++all;
    far += std::fabs(of_order - middle) >= std::fabs(u - middle);
  } while (std::next_permutation(is_a.begin(), is_a.end()));
  return static_cast<double>(far) / all;
}

TEST(MannWhitneyTestTest, ExactPIsTheShareOfAllOrdersForSmallSamples) {
  for (size_t m = 1; m <= 6; ++m) {
    for (size_t n = 1; n <= 6; ++n) {
      Values a(m);
      Values b(n);
      for (size_t first = 0; first <= n; ++first) {
        // All of a follows the first values of b.
        std::iota(b.begin(), b.end(), 0);
        std::iota(a.begin(), a.end(), 0);
        for (double& x : a) x = static_cast<double>(first) - 0.5 + x / 100;
        const UTest test = *MannWhitneyTest(a, b);
        ASSERT_EQ(test.u, static_cast<double>(m * first));
        ASSERT_NEAR(test.p, CountedP(test.u, m, n), 1e-12);
      }
    }
  }
}

// C(98, 49) orders do not fit 64 bits; one of them, and its mirror, is extreme.
TEST(MannWhitneyTestTest, ExactPIsRightForTheLargestSamples) {
  Values a(49);
  Values b(49);
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 100);

  const UTest test = *MannWhitneyTest(a, b);

  EXPECT_EQ(test.u, 0);
  EXPECT_NEAR(test.p / (2 / 2.5477612258980856902730428600e28), 1, 1e-9);
}

TEST(MannWhitneyTestTest, TakesTheNormalFromFiftyOn) {
  Values a(50);
  std::iota(a.begin(), a.end(), 0);

  const UTest test = *MannWhitneyTest(a, Values{3.5, 4.5, 60});

  EXPECT_EQ(test.method, UTest::Method::kNormal);
}

TEST(MannWhitneyTestTest, NoDifferenceHasPOne) {
  EXPECT_EQ(MannWhitneyTest(Values{1, 4}, Values{2, 3})->p, 1);
  EXPECT_EQ(MannWhitneyTest(Values{1, 2}, Values{1, 2})->p, 1);
}

TEST(MannWhitneyTestTest, SwappingTheArmsMirrorsU) {
  const Values a = {1, 5, 7, 9};
  const Values b = {2, 3, 4};

  EXPECT_EQ(MannWhitneyTest(a, b)->u, 12 - MannWhitneyTest(b, a)->u);
  EXPECT_EQ(MannWhitneyTest(a, b)->p, MannWhitneyTest(b, a)->p);
}

TEST(MannWhitneyTestTest, NeedsValuesThatDiffer) {
  EXPECT_EQ(MannWhitneyTest(Values{4, 4}, Values{4}).status(),
            absl::FailedPreconditionError(
                "all values are the same, so they have no ranks"));
  EXPECT_FALSE(MannWhitneyTest(Values{}, Values{4}).ok());
  EXPECT_FALSE(MannWhitneyTest(Values{4}, Values{std::nan("")}).ok());
}

}  // namespace
}  // namespace sim
