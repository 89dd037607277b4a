#include "sim/presets.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/files.h"
#include "sim/near_names.h"
#include "sim/scenario.pb.h"
#include "sim/text_message.h"

namespace sim {
namespace {

constexpr absl::string_view kFolder = "sim/scenarios";
constexpr absl::string_view kEnding = ".textproto";

// The names of the presets, sorted.
absl::StatusOr<std::vector<std::string>> PresetNames() {
  const absl::StatusOr<std::string> folder = DataPath(kFolder);
  if (!folder.ok()) return folder.status();
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(*folder, error)) {
    if (file.path().extension().string() == kEnding) {
      names.push_back(file.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> PresetPath(absl::string_view name) {
  return DataPath(absl::StrCat(kFolder, "/", name, kEnding));
}

absl::StatusOr<Preset> ReadPreset(const std::string& name) {
  const absl::StatusOr<std::string> path = PresetPath(name);
  if (!path.ok()) return path.status();
  Scenario scenario;
  const absl::Status status = TextSource(*path).ReadInto(scenario);
  if (!status.ok()) return status;
  return Preset{name, scenario.question()};
}

}  // namespace

absl::StatusOr<std::vector<Preset>> ListPresets() {
  const absl::StatusOr<std::vector<std::string>> names = PresetNames();
  if (!names.ok()) return names.status();
  std::vector<Preset> presets;
  for (const std::string& name : *names) {
    const absl::StatusOr<Preset> preset = ReadPreset(name);
    if (!preset.ok()) return preset.status();
    presets.push_back(*preset);
  }
  return presets;
}

absl::StatusOr<std::string> ScenarioPath(absl::string_view argument) {
  if (absl::StrContains(argument, "/") || absl::EndsWith(argument, kEnding)) {
    return UserPath(argument);
  }
  const absl::StatusOr<std::vector<std::string>> names = PresetNames();
  if (!names.ok()) return names.status();
  if (std::find(names->begin(), names->end(), argument) != names->end()) {
    return PresetPath(argument);
  }
  return absl::NotFoundError(absl::StrCat("no preset \"", argument, "\"",
                                          NearNames(argument, *names)));
}

}  // namespace sim
