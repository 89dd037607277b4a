#include "tests/real_guest/monitor.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace vsock::real_guest {

Monitor::Monitor(const std::string& path) : stream_(UnixStream::To(path)) {
  Do("qmp_capabilities", "");
}

bool Monitor::Do(absl::string_view command, absl::string_view arguments) {
  if (!stream_.has_value()) return false;
  stream_->Send(absl::StrCat(R"({"execute":")", command, R"(","arguments":{)",
                             arguments, "}}\n"));
  // Events and the greeting may come first.
  std::string line;
  do {
    line = stream_->ReadLine();
    if (absl::StrContains(line, R"("return")")) return true;
  } while (!line.empty() && !absl::StrContains(line, R"("error")"));
  return false;
}

bool Monitor::Await(absl::string_view event) {
  std::string line;
  do {
    line = stream_->ReadLine();
    if (absl::StrContains(line, absl::StrCat("\"", event, "\""))) return true;
  } while (!line.empty());
  return false;
}

}  // namespace vsock::real_guest
