// aggregate.h: from single runs to what they say together.

#ifndef SIM_AGGREGATE_H_
#define SIM_AGGREGATE_H_

#include "sim/result.pb.h"

namespace sim {

// Fills `arm`, `comparison` and `expect` of a result whose scenario and runs
// are there, also if some runs are missing.
void Aggregate(ScenarioResult& result);

}  // namespace sim

#endif  // SIM_AGGREGATE_H_
