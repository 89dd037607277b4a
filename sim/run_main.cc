// run_main.cc: runs any scenario, a preset or a file of one's own.
//
//   ./bazelw run //sim:run -- --list
//   ./bazelw run //sim:run -- noisy_neighbour
//   ./bazelw run //sim:run -- mine.textproto --set guest.ring.size=256

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/command.h"
#include "sim/command_line.h"
#include "sim/presets.h"
#include "sim/report_text.h"
#include "sim/simulation.h"

namespace sim {
namespace {

constexpr char kProgram[] = "run";

constexpr char kHelp[] =
    "Runs a scenario: every arm, every replicate, and says what came out.\n"
    "\n"
    "  ./bazelw run //sim:run -- --list\n"
    "  ./bazelw run //sim:run -- noisy_neighbour\n"
    "  ./bazelw run //sim:run -- mine.textproto --seed=7 --json=out.json\n"
    "  ./bazelw run //sim:run -- replay --set flow.recorded.replay.speed_up=1\n"
    "\n"
    "A plain name is a preset; anything with a / or the ending .textproto is "
    "a\n"
    "file of yours. sim/scenario.proto explains every field.\n"
    "\n";

std::vector<FlagSpec> RunFlags() {
  std::vector<FlagSpec> flags = {
      {"list", "", "the presets, each with its question"}};
  for (const FlagSpec& flag : CommonFlags()) flags.push_back(flag);
  return flags;
}

int List() {
  const absl::StatusOr<std::vector<Preset>> presets = ListPresets();
  if (!presets.ok()) return UsageError(kProgram, presets.status());
  for (const Preset& preset : *presets) {
    std::printf("%-20s%s\n", preset.name.c_str(), preset.question.c_str());
  }
  return kSuccess;
}

absl::StatusOr<Command> Prepare(const Arguments& arguments) {
  if (arguments.positional().size() != 1) {
    return absl::InvalidArgumentError(
        "expected one scenario: a preset's name (--list) or a file");
  }
  return MakeCommand(kProgram, arguments, arguments.positional()[0],
                     ReadCommonSettings(arguments), ReportBody);
}

int Run(const Arguments& arguments) {
  if (arguments.Has("list")) return List();
  const absl::StatusOr<Command> command = Prepare(arguments);
  if (!command.ok()) return UsageError(kProgram, command.status());
  return RunCommand(*command, RunArm);
}

CommandLine RunScenario() {
  return {.name = kProgram,
          .help = kHelp,
          .exit_codes = kScenarioExitCodes,
          .flags = RunFlags(),
          .takes_scenario = true,
          .run = Run};
}

}  // namespace
}  // namespace sim

int main(int argc, char** argv) {
  return sim::RunCommandLine(sim::RunScenario(),
                             std::vector<std::string>(argv + 1, argv + argc));
}
