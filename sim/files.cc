#include "sim/files.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sim {
namespace {

constexpr absl::string_view kWorkspace = "vsock_dgram_model";

std::vector<std::string> Roots() {
  std::vector<std::string> roots;
  for (const char* name : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    const char* folder = std::getenv(name);
    if (folder != nullptr) roots.push_back(absl::StrCat(folder, "/"));
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) roots.push_back(absl::StrCat(program.string(), ".runfiles/"));
  return roots;
}

}  // namespace

std::string UserPath(absl::string_view path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr || absl::StartsWith(path, "/")) {
    return std::string(path);
  }
  return absl::StrCat(folder, "/", path);
}

absl::StatusOr<std::string> DataPath(absl::string_view path) {
  for (const std::string& root : Roots()) {
    const std::string found = absl::StrCat(root, kWorkspace, "/", path);
    if (access(found.c_str(), R_OK) == 0) return found;
  }
  return absl::NotFoundError(
      absl::StrCat(path, ": not among the program's own files; run it with ",
                   "`./bazelw run` or from where Bazel built it"));
}

std::string ShownPath(absl::string_view path) {
  const std::string root = absl::StrCat(".runfiles/", kWorkspace, "/");
  const size_t at = path.rfind(root);
  if (at == absl::string_view::npos) return std::string(path);
  return std::string(path.substr(at + root.size()));
}

std::string FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return ".";
  return std::string(path.substr(0, slash));
}

}  // namespace sim
