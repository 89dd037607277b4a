#include "sim/command_line.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "sim/arguments.h"
#include "sim/command.h"
#include "sim/version.h"

namespace sim {

const char kScenarioExitCodes[] =
    "\n"
    "Exit codes: 0 done; 1 a law or an expectation was broken; 2 flags or\n"
    "scenario are wrong, nothing was run; 130 interrupted, results partial.\n";

int RunCommandLine(const CommandLine& line,
                   const std::vector<std::string>& args) {
  const absl::StatusOr<Arguments> arguments =
      Arguments::Parse(args, line.flags);
  if (!arguments.ok()) return UsageError(line.name, arguments.status());
  if (arguments->Has("help")) {
    std::printf("%s%s%s", line.help.c_str(), FlagsHelp(line.flags).c_str(),
                line.exit_codes.c_str());
    return kSuccess;
  }
  if (arguments->Has("version")) return std::printf("%s\n", kVersion), kSuccess;
  if (!line.takes_scenario && !arguments->positional().empty()) {
    return UsageError(line.name,
                      absl::InvalidArgumentError(absl::StrCat(
                          arguments->positional()[0],
                          ": expected only flags; //sim:run takes scenarios")));
  }
  return line.run(*arguments);
}

}  // namespace sim
