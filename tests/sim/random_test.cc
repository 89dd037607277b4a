#include "sim/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Nanos;

constexpr int kDraws = 200'000;

// The greatest distance between the distribution of `values` and `cdf`, times
// sqrt(n). Kolmogorov: above 1.95 with probability 0.001.
template <typename Cdf>
double KolmogorovDistance(std::vector<double> values, Cdf cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    const auto rank = static_cast<double>(i);
    distance =
        std::max({distance, expected - rank / n, (rank + 1) / n - expected});
  }
  return distance * std::sqrt(n);
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double VarianceOf(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

// In units of the mean, which is large enough for rounding not to show.
std::vector<double> UnitExponentials() {
  Random random(1);
  std::vector<double> values;
  for (int i = 0; i < kDraws; ++i) {
    const Nanos value = random.Exponential(Nanos(1'000'000'000));
    values.push_back(static_cast<double>(value.value()) / 1e9);
  }
  return values;
}

// A program in another language, written from the header's description, gave
// these: splitmix64(splitmix64(seed) ^ fnv1a(name)) seeds xoshiro256**.
TEST(RandomTest, GivesTheSameBytesEverywhere) {
  Random root(1);
  Random loss = Random(1).Fork("loss");
  Random of_guest = loss.Fork("guest");

  EXPECT_EQ(root.Next(), 12966619160104079557u);
  EXPECT_EQ(root.Next(), 9600361134598540522u);
  EXPECT_EQ(loss.Next(), 8150274635906552424u);
  EXPECT_EQ(loss.Next(), 2021900266444911796u);
  EXPECT_EQ(of_guest.Next(), 4714259361178044488u);
}

TEST(RandomTest, ForkDependsOnTheNameAndNotOnWhatHappenedBefore) {
  Random fresh(5);
  Random used(5);
  used.Next();
  used.Fork("another").Next();

  EXPECT_EQ(fresh.Fork("loss").Next(), used.Fork("loss").Next());
  EXPECT_NE(fresh.Fork("loss").Next(), fresh.Fork("delay").Next());
  EXPECT_NE(fresh.Fork("loss").Next(), Random(6).Fork("loss").Next());
}

TEST(RandomTest, ForksOfForksDependOnTheOrderOfTheNames) {
  const Random root(5);

  EXPECT_NE(root.Fork("a").Fork("b").Next(), root.Fork("b").Fork("a").Next());
  EXPECT_NE(root.Fork("a").Fork("b").Next(), root.Fork("ab").Next());
  EXPECT_NE(root.Fork("a").Fork("a").Next(), Random(5).Next());
}

TEST(RandomTest, UniformGivesEachValueOfTheRangeEquallyOften) {
  Random random(2);
  std::map<int64_t, int> count;

  for (int i = 0; i < kDraws; ++i) ++count[random.Uniform(-2, 4)];

  double chi_square = 0;
  for (const auto& [value, n] : count) {
    const double excess = n - kDraws / 7.0;
    chi_square += excess * excess / (kDraws / 7.0);
  }
  EXPECT_EQ(count.size(), 7u);
  EXPECT_EQ(count.begin()->first, -2);
  EXPECT_EQ(count.rbegin()->first, 4);
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom, p = 0.001
}

TEST(RandomTest, UniformHasNoModuloBias) {
  Random random(3);
  // By remainder, the lowest third of 0 .. 3 * 2^62 - 1 would come up as often
  // as the other two together.
  const int64_t lo = std::numeric_limits<int64_t>::min();
  const int64_t hi =
      lo + int64_t{0x3fffffffffffffff} * 2 + 1 + (int64_t{1} << 62);
  int lowest_third = 0;

  for (int i = 0; i < kDraws; ++i) {
    if (random.Uniform(lo, hi) < lo + (int64_t{1} << 62)) ++lowest_third;
  }

  EXPECT_NEAR(lowest_third, kDraws / 3.0, 5 * std::sqrt(kDraws * 2.0 / 9));
}

TEST(RandomTest, UniformCoversAllOfTheIntegersAndASingleOne) {
  Random random(4);
  const int64_t min = std::numeric_limits<int64_t>::min();
  const int64_t max = std::numeric_limits<int64_t>::max();
  int negative = 0;

  for (int i = 0; i < kDraws; ++i) negative += random.Uniform(min, max) < 0;

  EXPECT_NEAR(negative, kDraws / 2.0, 5 * std::sqrt(kDraws / 4.0));
  EXPECT_EQ(random.Uniform(max, max), max);
  EXPECT_EQ(random.Uniform(min, min), min);
}

TEST(RandomTest, BernoulliIsTrueAsOftenAsAsked) {
  Random random(5);
  int one_in_100 = 0;
  int three_in_4 = 0;

  for (int i = 0; i < kDraws; ++i) {
    one_in_100 += random.OneIn(100);
    three_in_4 += random.Bernoulli(3, 4);
    ASSERT_FALSE(random.Bernoulli(0, 1'000'000));
    ASSERT_TRUE(random.Bernoulli(1'000'000, 1'000'000));
  }

  EXPECT_NEAR(one_in_100, kDraws * 0.01, 5 * std::sqrt(kDraws * 0.0099));
  EXPECT_NEAR(three_in_4, kDraws * 0.75, 5 * std::sqrt(kDraws * 0.1875));
}

TEST(RandomTest, ExponentialHasTheMomentsAndTheTailOfTheClosedForm) {
  const std::vector<double> values = UnitExponentials();

  // Five standard errors: the variance is 1, that of its estimate 8 / n.
  EXPECT_NEAR(MeanOf(values), 1, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(VarianceOf(values), 1, 5 * std::sqrt(8.0 / kDraws));
  EXPECT_LT(
      KolmogorovDistance(values, [](double x) { return 1 - std::exp(-x); }),
      1.95);
}

TEST(RandomTest, ExponentialHasTheQuantilesOfTheClosedForm) {
  std::vector<double> values = UnitExponentials();
  std::sort(values.begin(), values.end());

  for (const double p : {0.1, 0.5, 0.9, 0.99, 0.999}) {
    const double measured = values[static_cast<size_t>(p * kDraws)];
    const double error = std::sqrt(p / (1 - p) / kDraws);
    EXPECT_NEAR(measured, -std::log(1 - p), 5 * error) << p;
  }
}

TEST(RandomTest, ExponentialsOfTwoMeansStayInStep) {
  Random slow(6);
  Random fast(6);

  for (int i = 0; i < 1000; ++i) {
    const int64_t value = slow.Exponential(Nanos(3000)).value();
    // Both are rounded down, so three times the one is at most 2 short.
    const int64_t tripled = 3 * fast.Exponential(Nanos(1000)).value();
    ASSERT_GE(value, tripled);
    ASSERT_LE(value, tripled + 2);
  }
}

TEST(RandomTest, ExponentialOfMeanZeroIsZero) {
  EXPECT_EQ(Random(7).Exponential(Nanos(0)), Nanos(0));
}

TEST(RandomTest, TriangularHasTheMomentsAndTheShapeOfTheClosedForm) {
  Random random(8);
  const double a = 1e6;
  const double c = 3e6;
  const double b = 1e7;
  std::vector<double> values;
  for (int i = 0; i < kDraws; ++i) {
    values.push_back(static_cast<double>(
        random.Triangular(Nanos(1'000'000), Nanos(3'000'000), Nanos(10'000'000))
            .value()));
  }
  const auto cdf = [&](double x) {
    return x < c ? (x - a) * (x - a) / ((b - a) * (c - a))
                 : 1 - (b - x) * (b - x) / ((b - a) * (b - c));
  };
  const double variance = (a * a + b * b + c * c - a * b - a * c - b * c) / 18;

  EXPECT_NEAR(MeanOf(values), (a + b + c) / 3,
              5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(VarianceOf(values) / variance, 1, 0.01);
  EXPECT_LT(KolmogorovDistance(values, cdf), 1.95);
}

TEST(RandomTest, TriangularReachesItsEndsAndKeepsWithinThem) {
  Random random(9);
  std::map<int64_t, int> count;

  for (int i = 0; i < kDraws; ++i) {
    ++count[random.Triangular(Nanos(-1), Nanos(0), Nanos(2)).value()];
  }

  EXPECT_EQ(count.begin()->first, -1);
  EXPECT_EQ(count.rbegin()->first, 2);
}

TEST(RandomTest, TriangularOfOnePointIsThatPoint) {
  EXPECT_EQ(Random(10).Triangular(Nanos(7), Nanos(7), Nanos(7)), Nanos(7));
}

TEST(RandomTest, ShuffleGivesEachOrderEquallyOften) {
  Random random(11);
  std::map<std::string, int> count;

  for (int i = 0; i < kDraws; ++i) {
    std::string letters = "abc";
    random.Shuffle(std::span<char>(letters));
    ++count[letters];
  }

  double chi_square = 0;
  for (const auto& [order, n] : count) {
    const double excess = n - kDraws / 6.0;
    chi_square += excess * excess / (kDraws / 6.0);
  }
  EXPECT_EQ(count.size(), 6u);
  EXPECT_LT(chi_square, 20.52);  // 5 degrees of freedom, p = 0.001
}

}  // namespace
}  // namespace sim
