#include "sim/sample.h"

#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "sim/student_t.h"
#include "virtqueue/check.h"

namespace sim {

absl::StatusOr<double> Mean(std::span<const double> values) {
  if (values.empty()) {
    return absl::InvalidArgumentError("no values, so no mean");
  }
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%f among the values is not a number", value));
    }
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

absl::StatusOr<Sample> Summarize(std::span<const double> values) {
  const absl::StatusOr<double> mean = Mean(values);
  if (!mean.ok()) return mean.status();
  if (values.size() < 2) {
    return absl::InvalidArgumentError("one value has no spread; 2 are needed");
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - *mean) * (value - *mean);
  }
  const auto n = static_cast<double>(values.size());
  return Sample{values.size(), *mean, std::sqrt(squares / (n - 1))};
}

absl::StatusOr<Sample> SummarizePairs(std::span<const double> a,
                                      std::span<const double> b) {
  if (a.size() != b.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d values cannot be paired with %d", a.size(), b.size()));
  }
  std::vector<double> differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return Summarize(differences);
}

double CountGreater(std::span<const double> a, std::span<const double> b) {
  double count = 0;
  for (const double x : a) {
    for (const double y : b) count += x > y ? 1 : x == y ? 0.5 : 0;
  }
  return count;
}

Interval MeanInterval(const Sample& sample, double confidence) {
  VSOCK_CHECK(sample.n >= 2);
  const auto n = static_cast<double>(sample.n);
  const double half =
      TwoSidedT(n - 1, 1 - confidence) * sample.sd / std::sqrt(n);
  return Interval{sample.mean - half, sample.mean + half};
}

}  // namespace sim
