// buffers_main.cc: which socket buffers does an NBD client need?
//
//   ./bazelw run //sim:buffers
//   ./bazelw run //sim:buffers -- --system=macos --direction=read

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/buffer_flags.h"
#include "sim/buffer_grid.h"
#include "sim/buffer_grid_text.h"
#include "sim/command.h"
#include "sim/command_line.h"
#include "sim/simulation.h"

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

absl::StatusOr<Command> Prepare(const Arguments& arguments) {
  const absl::StatusOr<BufferGrid::Options> options =
      ReadBufferOptions(arguments);
  if (!options.ok()) return options.status();
  const BufferGrid grid(*options);
  absl::StatusOr<Command> command = MakeCommand(
      kProgram, arguments, kBufferScenario, ReadBufferSettings(arguments),
      [grid](const ScenarioResult& result) {
        return BufferGridBody(grid, result);
      });
  if (command.ok()) grid.Expand(command->loaded.scenario);
  return command;
}

int Run(const Arguments& arguments) {
  const absl::StatusOr<Command> command = Prepare(arguments);
  if (!command.ok()) return UsageError(kProgram, command.status());
  return RunCommand(*command, RunArm);
}

CommandLine Buffers() {
  return {.name = kProgram,
          .help = kHelp,
          .exit_codes = kScenarioExitCodes,
          .flags = BufferFlags(),
          .run = Run};
}

}  // namespace
}  // namespace sim

int main(int argc, char** argv) {
  return sim::RunCommandLine(sim::Buffers(),
                             std::vector<std::string>(argv + 1, argv + argc));
}
