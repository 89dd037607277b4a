#include "sim/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/files.h"

namespace sim {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

absl::Status Failed(absl::string_view path) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
}

bool WriteAll(std::FILE* file, absl::string_view content) {
  return std::fwrite(content.data(), 1, content.size(), file) ==
             content.size() &&
         std::fflush(file) == 0;
}

// Devices and pipes are written where they are.
bool CanBeReplaced(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

absl::Status WriteFileAt(const std::string& path, absl::string_view content) {
  const std::unique_ptr<std::FILE, CloseFile> file(
      std::fopen(path.c_str(), "wb"));
  if (file == nullptr || !WriteAll(file.get(), content)) return Failed(path);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWritable(const std::string& path) {
  if (path == kStandardOutput) return absl::OkStatus();
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return Failed(path);
  }
  const std::string folder =
      path[0] == '/' && path.rfind('/') == 0 ? "/" : FolderOf(path);
  if (access(folder.c_str(), W_OK | X_OK) != 0) return Failed(path);
  return absl::OkStatus();
}

absl::Status WriteOutput(const std::string& path, absl::string_view content) {
  if (path == kStandardOutput) {
    return WriteAll(stdout, content) ? absl::OkStatus() : Failed(path);
  }
  if (!CanBeReplaced(path)) return WriteFileAt(path, content);
  const std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  absl::Status status = WriteFileAt(temporary, content);
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    status = Failed(path);
  }
  if (!status.ok()) std::remove(temporary.c_str());
  return status;
}

}  // namespace sim
