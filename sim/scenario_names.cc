#include "sim/scenario_names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sim/scenario.pb.h"

namespace sim {

const Scenario::Flow* FindFlow(const Scenario& scenario,
                               absl::string_view name) {
  for (const Scenario::Flow& flow : scenario.flow()) {
    if (flow.name() == name) return &flow;
  }
  return nullptr;
}

const Arm* FindArm(const Scenario& scenario, absl::string_view name) {
  for (const Arm& arm : scenario.arm()) {
    if (arm.name() == name) return &arm;
  }
  return nullptr;
}

bool RunsIn(const Arm& arm, absl::string_view flow) {
  return std::find(arm.flow().begin(), arm.flow().end(), flow) !=
         arm.flow().end();
}

std::vector<std::string> FlowNames(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Scenario::Flow& flow : scenario.flow()) {
    names.push_back(flow.name());
  }
  return names;
}

std::vector<std::string> ArmNames(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Arm& arm : scenario.arm()) names.push_back(arm.name());
  return names;
}

}  // namespace sim
