// presets.h: the scenarios that come with the project.

#ifndef SIM_PRESETS_H_
#define SIM_PRESETS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sim {

struct Preset {
  std::string name;
  std::string question;
};

// All presets, by name.
absl::StatusOr<std::vector<Preset>> ListPresets();

// The file of a scenario: a preset's, if `argument` is a plain name, else the
// user's own. An unknown name is an error that names near ones.
absl::StatusOr<std::string> ScenarioPath(absl::string_view argument);

}  // namespace sim

#endif  // SIM_PRESETS_H_
