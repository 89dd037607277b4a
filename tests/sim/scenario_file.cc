#include "tests/sim/scenario_file.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/scenario_loader.h"

namespace sim {

std::string WriteFile(absl::string_view name, absl::string_view content) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

absl::StatusOr<LoadedScenario> LoadText(absl::string_view text,
                                        const std::vector<std::string>& sets) {
  std::vector<Setting> settings;
  for (const std::string& set : sets) {
    settings.push_back({set, absl::StrCat("--set ", set)});
  }
  return LoadScenario(WriteFile("s.textproto", text), settings);
}

std::string LoadError(absl::string_view text,
                      const std::vector<std::string>& sets) {
  const absl::StatusOr<LoadedScenario> loaded = LoadText(text, sets);
  return absl::StrReplaceAll(loaded.status().message(),
                             {{absl::StrCat(testing::TempDir(), "/"), ""}});
}

}  // namespace sim
