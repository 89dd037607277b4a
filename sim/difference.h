// difference.h: by how much two arms differ, and how sure that is.
//
// In percent of a reference that is taken as given: its own uncertainty is not
// in the interval.

#ifndef SIM_DIFFERENCE_H_
#define SIM_DIFFERENCE_H_

#include "absl/status/statusor.h"
#include "sim/sample.h"

namespace sim {

struct Difference {
  double percent = 0;
  Interval interval;  // in percent too; without spread it has no width
};

// a.mean - b.mean with Welch's interval. An error if the reference is zero.
absl::StatusOr<Difference> WelchDifference(const Sample& a, const Sample& b,
                                           double reference, double confidence);

// The mean of `pairs` with Student's interval: for arms that share their random
// numbers, where it is the narrower one. An error if the reference is zero.
absl::StatusOr<Difference> PairedDifference(const Sample& pairs,
                                            double reference,
                                            double confidence);

}  // namespace sim

#endif  // SIM_DIFFERENCE_H_
