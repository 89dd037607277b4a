// fairness_main.cc: does a pool of datagram sockets hurt a lone stream?
//
//   ./bazelw run //sim:fairness
//   ./bazelw run //sim:fairness -- --pool=64 --receiver=slow --json=out.json

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/command.h"
#include "sim/fairness_flags.h"
#include "sim/fairness_report.h"
#include "sim/presets.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "sim/version.h"

namespace sim {
namespace {

constexpr char kProgram[] = "fairness";

constexpr char kHelp[] =
    "Does a pool of datagram sockets slow a lone stream more than a pool of\n"
    "streams? One measured stream alone, beside streams, beside datagrams.\n"
    "\n"
    "  ./bazelw run //sim:fairness\n"
    "  ./bazelw run //sim:fairness -- --pool=64 --payload=512\n"
    "  ./bazelw run //sim:fairness -- --receiver=slow --csv=slow.csv\n"
    "  ./bazelw run //sim:fairness -- --set proposal.name=linux-2026\n"
    "\n";

constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 done; 1 a law or an expectation was broken; 2 flags or\n"
    "scenario are wrong, nothing was run; 130 interrupted, results partial.\n";

absl::StatusOr<Command> Prepare(const Arguments& arguments) {
  const absl::StatusOr<OutputOptions> output = ReadOutputOptions(arguments);
  if (!output.ok()) return output.status();
  const absl::StatusOr<std::vector<Setting>> settings =
      ReadFairnessSettings(arguments);
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<std::string> path = ScenarioPath(kFairnessScenario);
  if (!path.ok()) return path.status();
  const absl::StatusOr<LoadedScenario> loaded = LoadScenario(*path, *settings);
  if (!loaded.ok()) return loaded.status();
  return Command{*loaded, *output,
                 ReplayLine(kProgram, arguments, loaded->scenario.seed()),
                 FairnessBody};
}

int Main(const std::vector<std::string>& args) {
  const absl::StatusOr<Arguments> arguments =
      Arguments::Parse(args, FairnessFlags());
  if (!arguments.ok()) return UsageError(kProgram, arguments.status());
  if (arguments->Has("help")) {
    std::printf("%s%s%s", kHelp, FlagsHelp(FairnessFlags()).c_str(),
                kExitCodes);
    return kSuccess;
  }
  if (arguments->Has("version")) return std::printf("%s\n", kVersion), kSuccess;
  if (!arguments->positional().empty()) {
    return UsageError(kProgram, absl::InvalidArgumentError(
                                    arguments->positional()[0] +
                                    ": expected only flags; //sim:run takes "
                                    "scenarios"));
  }
  const absl::StatusOr<Command> command = Prepare(*arguments);
  if (!command.ok()) return UsageError(kProgram, command.status());
  return RunCommand(*command, RunArm);
}

}  // namespace
}  // namespace sim

int main(int argc, char** argv) {
  return sim::Main(std::vector<std::string>(argv + 1, argv + argc));
}
