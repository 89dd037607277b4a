#include "bench/this_machine.h"

#include <stdlib.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace bench {
namespace {

// Of the first processor in /proc/cpuinfo.
std::string CpuInfo(absl::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> halves = absl::StrSplit(line, ':');
    if (halves.size() == 2 && absl::StripAsciiWhitespace(halves[0]) == key) {
      return std::string(absl::StripAsciiWhitespace(halves[1]));
    }
  }
  return "unknown";
}

// "6.18.44-name" -> "6.18".
std::string Kernel() {
  utsname names = {};
  if (uname(&names) != 0) return "";
  std::vector<std::string> parts =
      absl::StrSplit(names.release, absl::ByAnyChar(".-"));
  if (parts.size() > 2) parts.resize(2);
  return absl::StrCat(names.sysname, " ", absl::StrJoin(parts, "."));
}

}  // namespace

std::string ThisMachine() {
  return absl::StrCat(CpuInfo("model name"), " (family ", CpuInfo("cpu family"),
                      " model ", CpuInfo("model"), "), ",
                      std::thread::hardware_concurrency(), " processors, ",
                      Kernel());
}

double LoadAverage() {
  double average = -1;
  return getloadavg(&average, 1) == 1 ? average : -1;
}

std::string Today() {
  return absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
}

uint32_t SystemSetting(const std::string& name, uint32_t otherwise) {
  std::ifstream file("/proc/sys/" + name);
  uint32_t value = 0;
  return file >> value ? value : otherwise;
}

}  // namespace bench
