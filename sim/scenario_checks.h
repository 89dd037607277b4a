// scenario_checks.h: whether a scenario can be run.

#ifndef SIM_SCENARIO_CHECKS_H_
#define SIM_SCENARIO_CHECKS_H_

#include "absl/status/status.h"
#include "sim/scenario.pb.h"
#include "sim/text_message.h"

namespace sim {

// Every problem with its place in `source`; `scenario` has its defaults filled
// in. Numbers out of range are reported alone, since the rest builds on them.
absl::Status CheckScenario(const Scenario& scenario, const TextSource& source);

}  // namespace sim

#endif  // SIM_SCENARIO_CHECKS_H_
