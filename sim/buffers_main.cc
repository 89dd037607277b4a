// buffers_main.cc: which socket buffers does an NBD client need?
//
//   ./bazelw run //sim:buffers
//   ./bazelw run //sim:buffers -- --system=macos --direction=read

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/buffer_flags.h"
#include "sim/buffer_grid.h"
#include "sim/buffer_grid_text.h"
#include "sim/command.h"
#include "sim/presets.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "sim/version.h"

namespace sim {
namespace {

constexpr char kProgram[] = "buffers";

constexpr char kHelp[] =
    "Moves an image over a Unix socket, as an NBD client does, for every pair\n"
    "of send and receive buffers, and marks the smallest that are good "
    "enough.\n"
    "\n"
    "  ./bazelw run //sim:buffers\n"
    "  ./bazelw run //sim:buffers -- --system=macos --direction=read\n"
    "  ./bazelw run //sim:buffers -- --from=65536 --to=2097152 --csv=grid.csv\n"
    "\n";

constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 done; 1 a law or an expectation was broken; 2 flags or\n"
    "scenario are wrong, nothing was run; 130 interrupted, results partial.\n";

absl::StatusOr<Command> Prepare(const Arguments& arguments) {
  const absl::StatusOr<OutputOptions> output = ReadOutputOptions(arguments);
  if (!output.ok()) return output.status();
  const absl::StatusOr<std::vector<Setting>> settings =
      ReadBufferSettings(arguments);
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<BufferGrid::Options> options =
      ReadBufferOptions(arguments);
  if (!options.ok()) return options.status();
  const absl::StatusOr<std::string> path = ScenarioPath(kBufferScenario);
  if (!path.ok()) return path.status();
  absl::StatusOr<LoadedScenario> loaded = LoadScenario(*path, *settings);
  if (!loaded.ok()) return loaded.status();
  const BufferGrid grid(*options);
  grid.Expand(loaded->scenario);
  return Command{*loaded, *output,
                 ReplayLine(kProgram, arguments, loaded->scenario.seed()),
                 [grid](const ScenarioResult& result) {
                   return BufferGridBody(grid, result);
                 }};
}

int Main(const std::vector<std::string>& args) {
  const absl::StatusOr<Arguments> arguments =
      Arguments::Parse(args, BufferFlags());
  if (!arguments.ok()) return UsageError(kProgram, arguments.status());
  if (arguments->Has("help")) {
    std::printf("%s%s%s", kHelp, FlagsHelp(BufferFlags()).c_str(), kExitCodes);
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
