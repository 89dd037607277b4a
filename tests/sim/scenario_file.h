// scenario_file.h: scenarios for tests, written to a file and loaded.

#ifndef TESTS_SIM_SCENARIO_FILE_H_
#define TESTS_SIM_SCENARIO_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sim/scenario_loader.h"

namespace sim {

// A lawful scenario of one stream, "lone", on lines 1 to 3; tests add to it.
inline constexpr char kLawful[] =
    "name: \"test\" question: \"Does it load?\"\n"
    "flow { name: \"lone\" type: STREAM from { cid: 3 }\n"
    "       to { cid: 2 port: 10 } }\n";

// Writes `content` to `name` in the test's own folder; returns the path.
std::string WriteFile(absl::string_view name, absl::string_view content);

// Loads `text` as file "s.textproto" of the test's own folder.
absl::StatusOr<LoadedScenario> LoadText(absl::string_view text,
                                        const std::vector<std::string>& sets);

// The error that loading ends in, without the folder: "s.textproto:4:1: ...".
// Empty if it loads.
std::string LoadError(absl::string_view text,
                      const std::vector<std::string>& sets = {});

}  // namespace sim

#endif  // TESTS_SIM_SCENARIO_FILE_H_
