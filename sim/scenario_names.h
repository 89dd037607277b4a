// scenario_names.h: finding the parts of a scenario by name.

#ifndef SIM_SCENARIO_NAMES_H_
#define SIM_SCENARIO_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sim/scenario.pb.h"

namespace sim {

// Null if there is none.
const Scenario::Flow* FindFlow(const Scenario& scenario,
                               absl::string_view name);
const Arm* FindArm(const Scenario& scenario, absl::string_view name);

bool RunsIn(const Arm& arm, absl::string_view flow);

std::vector<std::string> FlowNames(const Scenario& scenario);
std::vector<std::string> ArmNames(const Scenario& scenario);

}  // namespace sim

#endif  // SIM_SCENARIO_NAMES_H_
