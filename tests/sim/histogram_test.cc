#include "sim/histogram.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "sim/random.h"

namespace sim {
namespace {

constexpr uint32_t kMedian = 500'000;

Histogram Of(std::initializer_list<int64_t> values) {
  Histogram histogram;
  for (const int64_t value : values) histogram.Add(value);
  return histogram;
}

// The least of `sorted` that at least `ppm` millionths do not exceed.
int64_t TrueQuantile(const std::vector<int64_t>& sorted, uint64_t ppm) {
  size_t rank = 1;
  while (rank * 1'000'000 < ppm * sorted.size()) ++rank;
  return sorted[rank - 1];
}

// At most one part in 128 above, never below.
void ExpectCloseAbove(int64_t measured, int64_t expected) {
  ASSERT_GE(measured, expected);
  ASSERT_LE(measured - expected, expected / 128);
}

TEST(HistogramTest, EmptyOneHasNoValuesToTell) {
  const Histogram empty;

  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.min(), std::nullopt);
  EXPECT_EQ(empty.max(), std::nullopt);
  EXPECT_EQ(empty.Mean(), std::nullopt);
  EXPECT_EQ(empty.Quantile(kMedian), std::nullopt);
}

TEST(HistogramTest, CountSumMeanLeastAndGreatestAreExact) {
  const Histogram histogram = Of({1'000'003, 7, 123'456'789});

  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.sum(), 124'456'799);
  EXPECT_EQ(histogram.Mean(), 124'456'799 / 3.0);
  EXPECT_EQ(histogram.min(), 7);
  EXPECT_EQ(histogram.max(), 123'456'789);
}

TEST(HistogramTest, ValuesBelow256AreExact) {
  for (int64_t value = 0; value < 256; ++value) {
    EXPECT_EQ(Of({value, 1'000'000}).Quantile(kMedian), value);
  }
}

TEST(HistogramTest, AnyValueIsFoundWithinOnePartIn128) {
  const int64_t greatest = std::numeric_limits<int64_t>::max();
  Random random(1);
  for (int64_t value = 0; value < 70'000; ++value) {
    ExpectCloseAbove(*Of({value, 1 << 20}).Quantile(kMedian), value);
  }
  for (int i = 0; i < 500; ++i) {
    const int64_t value = random.Uniform(0, greatest >> (i % 62)) / 2;
    ExpectCloseAbove(*Of({value, greatest / 2}).Quantile(kMedian), value);
  }
}

TEST(HistogramTest, QuantilesAreThoseOfTheSortedValues) {
  Random random(2);
  Histogram histogram;
  std::vector<int64_t> values;
  for (int i = 0; i < 9'973; ++i) {
    values.push_back(random.Uniform(0, 1 << random.Uniform(0, 30)));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());

  for (const uint32_t ppm :
       {1u, 1000u, 250'000u, 500'000u, 990'000u, 999'000u, 999'999u}) {
    ExpectCloseAbove(*histogram.Quantile(ppm), TrueQuantile(values, ppm));
  }
}

TEST(HistogramTest, RankIsExactWhereItIsAWholeNumber) {
  Histogram histogram;
  for (int64_t value = 1; value <= 100; ++value) histogram.Add(value);

  EXPECT_EQ(histogram.Quantile(70'000), 7);
  EXPECT_EQ(histogram.Quantile(990'000), 99);
  EXPECT_EQ(histogram.Quantile(990'001), 100);
}

TEST(HistogramTest, EndsAreTheLeastAndTheGreatest) {
  const Histogram histogram = Of({1'000'003, 2'000'003, 3'000'003});

  EXPECT_EQ(histogram.Quantile(0), 1'000'003);
  EXPECT_EQ(histogram.Quantile(1'000'000), 3'000'003);
}

TEST(HistogramTest, MergedIsAsIfAllHadBeenAddedToOne) {
  Random random(3);
  Histogram all;
  Histogram parts[2];
  for (int i = 0; i < 1'000; ++i) {
    const int64_t value = random.Uniform(0, 1 << (i % 30));
    all.Add(value);
    parts[i % 2].Add(value);
  }

  parts[0].Merge(parts[1]);
  parts[0].Merge(Histogram());

  EXPECT_EQ(parts[0].count(), all.count());
  EXPECT_EQ(parts[0].sum(), all.sum());
  EXPECT_EQ(parts[0].min(), all.min());
  EXPECT_EQ(parts[0].max(), all.max());
  for (uint32_t ppm = 0; ppm <= 1'000'000; ppm += 12'500) {
    EXPECT_EQ(parts[0].Quantile(ppm), all.Quantile(ppm));
  }
}

TEST(HistogramTest, MergingIntoAnEmptyOneKeepsTheLeast) {
  Histogram empty;

  empty.Merge(Of({5, 9}));

  EXPECT_EQ(empty.min(), 5);
}

TEST(HistogramDeathTest, ValueBelowZeroIsOurBug) {
  EXPECT_DEATH(Of({-1}), "check failed: value >= 0");
}

}  // namespace
}  // namespace sim
