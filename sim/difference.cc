#include "sim/difference.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "sim/student_t.h"
#include "sim/welch.h"

namespace sim {
namespace {

absl::StatusOr<Difference> InPercent(double mean, Interval interval,
                                     double reference) {
  if (reference == 0 || !std::isfinite(reference)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("nothing is a percentage of %f", reference));
  }
  const double low = 100 * interval.low / reference;
  const double high = 100 * interval.high / reference;
  return Difference{100 * mean / reference,
                    reference > 0 ? Interval{low, high} : Interval{high, low}};
}

}  // namespace

absl::StatusOr<Difference> WelchDifference(const Sample& a, const Sample& b,
                                           double reference,
                                           double confidence) {
  const WelchError error = WelchErrorOf(a, b);
  const double mean = a.mean - b.mean;
  const double half =
      error.standard_error == 0
          ? 0
          : TwoSidedT(error.df, 1 - confidence) * error.standard_error;
  return InPercent(mean, Interval{mean - half, mean + half}, reference);
}

absl::StatusOr<Difference> PairedDifference(const Sample& pairs,
                                            double reference,
                                            double confidence) {
  return InPercent(pairs.mean, MeanInterval(pairs, confidence), reference);
}

}  // namespace sim
