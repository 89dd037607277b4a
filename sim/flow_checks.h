// flow_checks.h: what must be so in each flow of a scenario, beyond ranges.
//
// Spec: virtio 1.3, 5.10.4 (context ids), 5.10.6 (types, addresses).

#ifndef SIM_FLOW_CHECKS_H_
#define SIM_FLOW_CHECKS_H_

#include "sim/problems.h"
#include "sim/scenario.pb.h"

namespace sim {

// `scenario` has its defaults filled in and its numbers in range.
void CheckFlows(const Scenario& scenario, Problems& problems);

}  // namespace sim

#endif  // SIM_FLOW_CHECKS_H_
