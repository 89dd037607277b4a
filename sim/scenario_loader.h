// scenario_loader.h: from a file and flags to what can be run.
//
// Order: read, set, fill in captures, fill in defaults, check. Errors name
// file, line and column, or the flag.

#ifndef SIM_SCENARIO_LOADER_H_
#define SIM_SCENARIO_LOADER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/platform.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

struct LoadedScenario {
  Scenario scenario;  // every default filled in, captures read
  Platform platform;  // with the scenario's own costs
};

// A value that takes the place of the file's.
struct Setting {
  std::string assignment;  // "path=value", as sim/set_flag.h wants it
  std::string origin;      // the flag it came from, for errors
};

absl::StatusOr<LoadedScenario> LoadScenario(
    const std::string& path, const std::vector<Setting>& settings);

}  // namespace sim

#endif  // SIM_SCENARIO_LOADER_H_
