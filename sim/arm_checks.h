// arm_checks.h: what must be so in the arms of a scenario, in what compares
// them, and in what is expected of them.

#ifndef SIM_ARM_CHECKS_H_
#define SIM_ARM_CHECKS_H_

#include "sim/problems.h"
#include "sim/scenario.pb.h"

namespace sim {

// `scenario` has its defaults filled in. Port clashes are looked for among the
// flows of one arm: flows that never run together may use the same port.
void CheckArms(const Scenario& scenario, Problems& problems);

void CheckComparisons(const Scenario& scenario, Problems& problems);

void CheckExpectations(const Scenario& scenario, Problems& problems);

}  // namespace sim

#endif  // SIM_ARM_CHECKS_H_
