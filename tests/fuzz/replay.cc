// replay.cc: shows what a script does, call by call.
//
//   bazelw run //tests/fuzz:replay -- device $PWD/crash-0123
//
// It takes what a fuzzer left behind, or a file of the corpus, or one that was
// written by hand; it ends with 1 if a rule did not hold.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/string_view.h"
#include "tests/fuzz/device_target.h"
#include "tests/fuzz/driver_target.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/outcome.h"

namespace {

// Whether all rules held.
bool Show(const fuzz::Target& target, const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const fuzz::Outcome outcome = fuzz::RunText(target, text);
  std::printf("%s%s\n", outcome.trace.c_str(), outcome.fault.c_str());
  return outcome.fault.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const absl::string_view name = argc > 1 ? argv[1] : "";
  if (argc < 3 || (name != "device" && name != "driver")) {
    std::fprintf(stderr, "usage: replay device|driver FILE...\n");
    return 2;
  }
  const fuzz::Target& target =
      name == "device" ? fuzz::DeviceTarget() : fuzz::DriverTarget();
  bool all_held = true;
  for (int i = 2; i < argc; ++i) all_held = Show(target, argv[i]) && all_held;
  return all_held ? 0 : 1;
}
