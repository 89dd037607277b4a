#include "sim/validation/runs.h"

#include <atomic>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sim/presets.h"
#include "sim/scenario_defaults.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"

namespace sim {

absl::StatusOr<Scenario> PresetScenario(
    absl::string_view preset, const std::vector<std::string>& settings) {
  const absl::StatusOr<std::string> path = ScenarioPath(preset);
  if (!path.ok()) return path.status();
  std::vector<Setting> set = {{"checks=false", "validation"}};
  for (const std::string& setting : settings) {
    set.push_back({setting, "validation"});
  }
  const absl::StatusOr<LoadedScenario> loaded = LoadScenario(*path, set);
  if (!loaded.ok()) return loaded.status();
  return loaded->scenario;
}

Scenario Completed(Scenario scenario) {
  scenario.set_checks(false);
  FillDefaults(scenario);
  return scenario;
}

absl::StatusOr<RunResult> RunNamedArm(const Scenario& scenario,
                                      const Platform& platform,
                                      absl::string_view arm, uint64_t seed) {
  const std::atomic<bool> stop(false);
  for (const Arm& of_scenario : scenario.arm()) {
    if (of_scenario.name() != arm) continue;
    return RunArm(scenario, platform, of_scenario, seed, stop);
  }
  return absl::InternalError(
      absl::StrCat(scenario.name(), " has no arm \"", arm, "\""));
}

double Goodput(const RunResult& result, absl::string_view flow) {
  double sum = 0;
  for (const FlowResult& of_result : result.flow()) {
    if (!flow.empty() && of_result.name() != flow) continue;
    sum += of_result.goodput_bytes_per_second();
  }
  return sum;
}

}  // namespace sim
