#include "sim/command.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "sim/arguments.h"
#include "sim/experiment.h"
#include "sim/files.h"
#include "sim/interrupt.h"
#include "sim/output_file.h"
#include "sim/presets.h"
#include "sim/progress.h"
#include "sim/report_csv.h"
#include "sim/report_json.h"
#include "sim/report_text.h"
#include "sim/result.pb.h"
#include "sim/scenario_loader.h"
#include "sim/validation/record.h"
#include "sim/version.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

constexpr uint32_t kMostJobs = 1024;

void Print(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void PrintError(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string OutputPath(const absl::optional<std::string>& flag) {
  if (!flag.has_value()) return "";
  return *flag == kStandardOutput ? *flag : UserPath(*flag);
}

absl::Status AddSeedAndReplicates(const Arguments& arguments,
                                  std::vector<Setting>& settings) {
  for (const char* name : {"seed", "replicates"}) {
    const absl::StatusOr<absl::optional<uint64_t>> value =
        arguments.Value<uint64_t>(name);
    if (!value.ok()) return value.status();
    if (value->has_value()) {
      settings.push_back({absl::StrCat(name, "=", **value),
                          absl::StrCat("--", name, "=", **value)});
    }
  }
  return absl::OkStatus();
}

// The scenario counts whole microseconds.
absl::Status AddDuration(const Arguments& arguments,
                         std::vector<Setting>& settings) {
  const absl::optional<std::string> text = arguments.Text("duration");
  if (!text.has_value()) return absl::OkStatus();
  const std::string flag = absl::StrCat("--duration=", *text);
  absl::Duration duration;
  if (!absl::ParseDuration(*text, &duration)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": expected a number with its unit, as 300ms"));
  }
  const int64_t us = absl::ToInt64Microseconds(duration);
  if (us < 1 || absl::Microseconds(us) != duration) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": not a whole number of microseconds above 0"));
  }
  settings.push_back({absl::StrCat("duration_us=", us), flag});
  return absl::OkStatus();
}

absl::Status CheckOutputs(const OutputOptions& output) {
  for (const std::string& path : {output.json, output.csv}) {
    if (path.empty()) continue;
    const absl::Status status = CheckWritable(path);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status WriteOutputs(const OutputOptions& output,
                          const ScenarioResult& result) {
  absl::Status status;
  if (!output.json.empty()) {
    status.Update(WriteOutput(output.json, ReportJson(result)));
  }
  if (!output.csv.empty()) {
    status.Update(WriteOutput(output.csv, ReportCsv(result)));
  }
  return status;
}

bool AllHeld(const ScenarioResult& result) {
  return std::all_of(result.expect().begin(), result.expect().end(),
                     [](const ExpectResult& judged) { return judged.held(); });
}

absl::StatusOr<ScenarioResult> RunAll(const Command& command,
                                      const RunFunction& run,
                                      const std::atomic<bool>& stop) {
  Progress progress;
  ExperimentOptions options;
  options.jobs = command.output.jobs;
  if (!command.output.quiet) {
    options.progress = [&progress](uint32_t done, uint32_t all) {
      progress.Show(done, all);
    };
  }
  absl::StatusOr<ScenarioResult> result = RunExperiment(
      command.loaded.scenario, command.loaded.platform, run, options, stop);
  if (!result.ok()) return result;
  result->set_version(kVersion);
  result->set_replay(command.replay);
  return result;
}

// What speaks for the answer, and what against it.
std::string BearingLine(const Scenario& scenario) {
  const absl::StatusOr<ValidationTable> record = ReadRecord();
  VSOCK_CHECK(record.ok());  // a file of the project's own
  return absl::StrCat(BearingText(*record, scenario), "\n");
}

int Finish(const Command& command, const ScenarioResult& result) {
  const absl::Status written = WriteOutputs(command.output, result);
  if (command.output.prints_text()) {
    Print(absl::StrCat(command.body(result), BearingLine(result.scenario())));
  }
  if (!written.ok()) {
    PrintError(absl::StrCat("error: ", written.message(), "\n"));
    return kFailure;
  }
  if (!result.complete()) return kInterrupted;
  if (AllHeld(result)) return kSuccess;
  PrintError(absl::StrCat(
      "error: an expectation was broken\nReplay: ", command.replay, "\n"));
  return kFailure;
}

}  // namespace

std::vector<FlagSpec> CommonFlags() {
  return {
      {"seed", "N", "what all chance follows from; equal seeds, equal bytes"},
      {"replicates", "N", "runs of each arm"},
      {"duration", "TIME", "measured window, simulated time: 300ms, 1s"},
      {"set", "PATH=VALUE", "any field of the scenario; may be given often"},
      {"jobs", "N", "threads; all processors if not given"},
      {"json", "FILE", "everything, for machines; - is standard output"},
      {"csv", "FILE", "a row for each flow and replicate; - likewise"},
      {"quiet", "", "no text report, no progress"},
      {"help", "", "this text"},
      {"version", "", "the model's version"},
  };
}

absl::StatusOr<OutputOptions> ReadOutputOptions(const Arguments& arguments) {
  const absl::StatusOr<absl::optional<uint32_t>> jobs =
      arguments.Value<uint32_t>("jobs");
  if (!jobs.ok()) return jobs.status();
  OutputOptions output;
  output.jobs =
      jobs->value_or(std::max(std::thread::hardware_concurrency(), 1u));
  if (output.jobs < 1 || output.jobs > kMostJobs) {
    return absl::InvalidArgumentError(
        absl::StrCat("--jobs=", output.jobs, ": not in 1..", kMostJobs));
  }
  output.json = OutputPath(arguments.Text("json"));
  output.csv = OutputPath(arguments.Text("csv"));
  output.quiet = arguments.Has("quiet");
  if (!output.json.empty() && output.json == output.csv) {
    return absl::InvalidArgumentError(
        absl::StrCat("--json and --csv both write to ", output.json));
  }
  return output;
}

absl::StatusOr<std::vector<Setting>> ReadCommonSettings(
    const Arguments& arguments) {
  std::vector<Setting> settings;
  absl::Status status = AddSeedAndReplicates(arguments, settings);
  status.Update(AddDuration(arguments, settings));
  if (!status.ok()) return status;
  for (const std::string& set : arguments.All("set")) {
    settings.push_back({set, absl::StrCat("--set ", set)});
  }
  return settings;
}

std::string ReplayLine(const std::string& program, const Arguments& arguments,
                       uint64_t seed) {
  std::string line = absl::StrCat("./bazelw run //sim:", program, " --");
  for (const std::string& word : arguments.positional()) {
    absl::StrAppend(&line, " ", ShellWord(word));
  }
  return absl::StrCat(
      line, " --seed=", seed,
      arguments.Again({"seed", "jobs", "json", "csv", "quiet"}));
}

absl::StatusOr<Command> MakeCommand(
    const std::string& program, const Arguments& arguments,
    const std::string& scenario,
    const absl::StatusOr<std::vector<Setting>>& settings,
    std::function<std::string(const ScenarioResult&)> body) {
  const absl::StatusOr<OutputOptions> output = ReadOutputOptions(arguments);
  if (!output.ok()) return output.status();
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<std::string> path = ScenarioPath(scenario);
  if (!path.ok()) return path.status();
  const absl::StatusOr<LoadedScenario> loaded = LoadScenario(*path, *settings);
  if (!loaded.ok()) return loaded.status();
  return Command{*loaded, *output,
                 ReplayLine(program, arguments, loaded->scenario.seed()),
                 std::move(body)};
}

int RunCommand(const Command& command, const RunFunction& run) {
  const absl::Status writable = CheckOutputs(command.output);
  if (!writable.ok()) {
    PrintError(absl::StrCat("error: ", writable.message(), "\n"));
    return kUsageError;
  }
  const std::atomic<bool>& stop = StopOnInterrupt();
  if (command.output.prints_text()) {
    Print(ReportHead(command.loaded.scenario, command.loaded.platform));
  }
  const absl::StatusOr<ScenarioResult> result = RunAll(command, run, stop);
  if (result.ok()) return Finish(command, *result);
  PrintError(absl::StrCat("error: ", result.status().message(),
                          "\nReplay: ", command.replay, "\n"));
  return kFailure;
}

int UsageError(const std::string& program, const absl::Status& status) {
  PrintError(absl::StrCat(status.message(), "\n(--help of //sim:", program,
                          " names the flags)\n"));
  return kUsageError;
}

}  // namespace sim
