// runs.h: what probes ask of a simulation.

#ifndef SIM_VALIDATION_RUNS_H_
#define SIM_VALIDATION_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

// A preset with `settings` ("path=value") in place of its own values.
absl::StatusOr<Scenario> PresetScenario(
    absl::string_view preset, const std::vector<std::string>& settings);

// `scenario`'s defaults are filled in, its checks are off: a validation run
// repeats what the tests have checked.
Scenario Completed(Scenario scenario);

// Runs the arm of that name once. The platform's costs are taken as they are.
absl::StatusOr<RunResult> RunNamedArm(const Scenario& scenario,
                                      const Platform& platform,
                                      absl::string_view arm, uint64_t seed);

// Delivered payload in bytes a second of the flow of that name; of all flows
// together if it is empty.
double Goodput(const RunResult& result, absl::string_view flow = "");

}  // namespace sim

#endif  // SIM_VALIDATION_RUNS_H_
