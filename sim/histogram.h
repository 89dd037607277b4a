// histogram.h: quantiles of many values, in little room.
//
// Log-linear buckets of integers, as HdrHistogram has them: values below 256
// have a bucket each, every doubling above is cut into 128. Count, sum, least
// and greatest value are exact; a quantile is never below the true one and
// above it by less than one part in 128 (0.8 %). Two histograms merge without
// loss. Left out: values below zero.

#ifndef SIM_HISTOGRAM_H_
#define SIM_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sim {

class Histogram {
 public:
  static constexpr uint32_t kPpm = 1'000'000;

  void Add(int64_t value);
  void Merge(const Histogram& other);

  uint64_t count() const { return count_; }
  int64_t sum() const { return sum_; }

  // Nothing of nothing: an empty histogram has no values.
  std::optional<int64_t> min() const;
  std::optional<int64_t> max() const;
  std::optional<double> Mean() const;

  // The least value that at least `ppm` millionths of all values do not exceed:
  // 500'000 is the median, 999'000 the 99.9th percentile.
  std::optional<int64_t> Quantile(uint32_t ppm) const;

 private:
  static size_t BucketOf(uint64_t value);
  static uint64_t GreatestIn(size_t bucket);

  std::vector<uint64_t> buckets_;  // up to the greatest in use
  uint64_t count_ = 0;
  int64_t sum_ = 0;
  int64_t min_ = 0;
  int64_t max_ = 0;
};

}  // namespace sim

#endif  // SIM_HISTOGRAM_H_
