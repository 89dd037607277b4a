// power.h: what an experiment with two arms can and cannot tell.
//
// For two arms with n runs each and the same spread, where Welch's test is
// Student's with 2n - 2 degrees of freedom. A difference and a spread have the
// same unit, whichever it is: percent of a mean, for one.

#ifndef SIM_POWER_H_
#define SIM_POWER_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace sim {

struct TwoArms {
  uint32_t runs = 2;    // an arm, at least 2
  double alpha = 0.05;  // of a two-sided test
};

// The probability that the test calls `difference` significant.
double Power(const TwoArms& arms, double sd, double difference);

// The least difference of means, once measured, that is significant.
double LeastSignificantDifference(const TwoArms& arms, double sd);

// The spread that a measured `difference` implies if it was not significant: at
// least this.
double LeastSpreadThatHides(const TwoArms& arms, double difference);

// The least true difference that is found with probability `power`, which is
// above alpha and below 1.
double MinimumDetectableDifference(const TwoArms& arms, double sd,
                                   double power);

// The runs an arm that find a true `difference` with probability `power`. An
// error if it is more than kMaxRuns.
inline constexpr uint32_t kMaxRuns = 1'000'000;
absl::StatusOr<uint32_t> RunsPerArm(double alpha, double sd, double difference,
                                    double power);

}  // namespace sim

#endif  // SIM_POWER_H_
