// fairness_main.cc: does a pool of datagram sockets hurt a lone stream?
//
//   ./bazelw run //sim:fairness
//   ./bazelw run //sim:fairness -- --pool=64 --receiver=slow --json=out.json

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/command.h"
#include "sim/command_line.h"
#include "sim/fairness_flags.h"
#include "sim/fairness_report.h"
#include "sim/simulation.h"

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

int Run(const Arguments& arguments) {
  const absl::StatusOr<Command> command =
      MakeCommand(kProgram, arguments, kFairnessScenario,
                  ReadFairnessSettings(arguments), FairnessBody);
  if (!command.ok()) return UsageError(kProgram, command.status());
  return RunCommand(*command, RunArm);
}

CommandLine Fairness() {
  return {.name = kProgram,
          .help = kHelp,
          .exit_codes = kScenarioExitCodes,
          .flags = FairnessFlags(),
          .run = Run};
}

}  // namespace
}  // namespace sim

int main(int argc, char** argv) {
  return sim::RunCommandLine(sim::Fairness(),
                             std::vector<std::string>(argv + 1, argv + argc));
}
