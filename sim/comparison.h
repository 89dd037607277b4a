// comparison.h: one arm against another, and what it takes to tell them apart.
//
// Intervals are 95 %, tests two-sided, power is for 5 % and 80 %. What cannot
// be computed (too few runs, no spread) stays absent.

#ifndef SIM_COMPARISON_H_
#define SIM_COMPARISON_H_

#include <cstdint>

#include "sim/result.pb.h"
#include "sim/values.h"

namespace sim {

inline constexpr double kConfidence = 0.95;
inline constexpr double kAlpha = 0.05;
inline constexpr double kPower = 0.8;

// The experiment that the power statement is about: runs an arm, and the
// difference in percent that it had.
struct Planned {
  uint32_t runs;
  double difference_percent;
};

ComparisonResult Compare(const Scenario::Comparison& of,
                         const ValuePairs& values, const Planned& planned);

}  // namespace sim

#endif  // SIM_COMPARISON_H_
