// files.h: which file a name means.
//
// A program that Bazel runs is started in a folder of Bazel's own, so paths
// that a user gives are taken from where the user stands, and the project's
// own data from the runfiles, wherever that is.

#ifndef SIM_FILES_H_
#define SIM_FILES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sim {

// `path` relative to the user's folder: BUILD_WORKING_DIRECTORY under
// `bazel run`, else the current one.
std::string UserPath(absl::string_view path);

// A folder or file of the project, "sim/scenarios" for example. An error if
// the program's runfiles are not there.
absl::StatusOr<std::string> DataPath(absl::string_view path);

// How messages name the file at `path`: the project's own from its root, others
// as they are.
std::string ShownPath(absl::string_view path);

// "a/b/c.txt" -> "a/b"; "c.txt" -> ".".
std::string FolderOf(absl::string_view path);

}  // namespace sim

#endif  // SIM_FILES_H_
