// command.h: what the programs in this folder have in common: their flags,
// their outputs, their exit codes.

#ifndef SIM_COMMAND_H_
#define SIM_COMMAND_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/experiment.h"
#include "sim/result.pb.h"
#include "sim/scenario_loader.h"

namespace sim {

// Exit codes.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;        // a law or an expectation was broken
inline constexpr int kUsageError = 2;     // flags or scenario; nothing was run
inline constexpr int kInterrupted = 130;  // partial results were written

// Flags of every program.
std::vector<FlagSpec> CommonFlags();

// What CommonFlags says beside the scenario.
struct OutputOptions {
  uint32_t jobs = 1;
  std::string json;  // files, "-", or none
  std::string csv;
  bool quiet = false;

  bool prints_text() const { return !quiet && json != "-" && csv != "-"; }
};
absl::StatusOr<OutputOptions> ReadOutputOptions(const Arguments& arguments);

// --seed, --replicates, --duration and each --set, in this order.
absl::StatusOr<std::vector<Setting>> ReadCommonSettings(
    const Arguments& arguments);

// "./bazelw run //sim:<program> -- ...", with the seed that was used.
std::string ReplayLine(const std::string& program, const Arguments& arguments,
                       uint64_t seed);

struct Command {
  LoadedScenario loaded;
  OutputOptions output;
  std::string replay;
  std::function<std::string(const ScenarioResult&)> body;  // of the text report
};

// `scenario`, a preset or a file, with `settings` and the outputs that
// `arguments` of `program` ask for.
absl::StatusOr<Command> MakeCommand(
    const std::string& program, const Arguments& arguments,
    const std::string& scenario,
    const absl::StatusOr<std::vector<Setting>>& settings,
    std::function<std::string(const ScenarioResult&)> body);

// Runs the experiment and writes what is asked for; returns the exit code.
int RunCommand(const Command& command, const RunFunction& run);

// Prints what is wrong on standard error; returns kUsageError.
int UsageError(const std::string& program, const absl::Status& status);

}  // namespace sim

#endif  // SIM_COMMAND_H_
