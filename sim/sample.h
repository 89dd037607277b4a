// sample.h: the replicates of one arm, summed up.
//
// What cannot be said of the values given is an error that says why, never a
// NaN: too few values, a value that is not finite.

#ifndef SIM_SAMPLE_H_
#define SIM_SAMPLE_H_

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"

namespace sim {

struct Interval {
  double low = 0;
  double high = 0;
};

// n >= 2 values; sd is the sample standard deviation, with n - 1.
struct Sample {
  size_t n = 0;
  double mean = 0;
  double sd = 0;
};

// Needs one value or more.
absl::StatusOr<double> Mean(std::span<const double> values);

// Needs two values or more.
absl::StatusOr<Sample> Summarize(std::span<const double> values);

// The sample of a[i] - b[i]. Needs two pairs or more, and equal lengths.
absl::StatusOr<Sample> SummarizePairs(std::span<const double> a,
                                      std::span<const double> b);

// The pairs in which a's value is the greater; a tie is half a pair.
double CountGreater(std::span<const double> a, std::span<const double> b);

// Student's interval for the mean. Without spread it has no width.
Interval MeanInterval(const Sample& sample, double confidence);

}  // namespace sim

#endif  // SIM_SAMPLE_H_
