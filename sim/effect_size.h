// effect_size.h: how large a difference is, whatever the number of runs.

#ifndef SIM_EFFECT_SIZE_H_
#define SIM_EFFECT_SIZE_H_

#include <span>

#include "absl/status/statusor.h"
#include "sim/sample.h"

namespace sim {

// Cohen 1988: a.mean - b.mean in units of the pooled standard deviation. An
// error if neither arm has any spread.
absl::StatusOr<double> CohensD(const Sample& a, const Sample& b);

// Hedges 1981: Cohen's d without its bias in small samples, exactly.
absl::StatusOr<double> HedgesG(const Sample& a, const Sample& b);

// Cliff 1993: how much likelier a value of `a` is the greater of a pair than
// one of `b`, from -1 (never) to 1 (always). An error if an arm is empty.
absl::StatusOr<double> CliffsDelta(std::span<const double> a,
                                   std::span<const double> b);

}  // namespace sim

#endif  // SIM_EFFECT_SIZE_H_
