// validate_main.cc: is the model right where the world was measured?
//
//   ./bazelw run //sim:validate
//   ./bazelw run //sim:validate -- --only=fairness --json=-

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "bench/this_machine.h"
#include "bench/unix_grid.h"
#include "sim/arguments.h"
#include "sim/command.h"
#include "sim/command_line.h"
#include "sim/files.h"
#include "sim/interrupt.h"
#include "sim/output_file.h"
#include "sim/platform_loader.h"
#include "sim/progress.h"
#include "sim/report_json.h"
#include "sim/report_text.h"
#include "sim/validation/probes.h"
#include "sim/validation/record.h"
#include "sim/validation/table_text.h"
#include "sim/validation/validate.h"

namespace sim {
namespace {

constexpr char kProgram[] = "validate";

constexpr char kHelp[] =
    "Holds the model against what was measured and published. Each prediction\n"
    "is made with every cost drawn from its range, many times over; no cost\n"
    "was tuned to a figure it is compared with.\n"
    "\n"
    "  ./bazelw run //sim:validate\n"
    "  ./bazelw run //sim:validate -- --only=fairness\n"
    "  ./bazelw run -c opt //bench:calibrate -- --out=calibrated.textproto\n"
    "  ./bazelw run //sim:validate -- --platform=calibrated\n"
    "\n"
    "A platform is one of the project's or NAME.textproto in your folder.\n"
    "\n";

constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 done, whatever missed; 1 a run failed; 2 flags are wrong;\n"
    "130 interrupted.\n";

std::vector<FlagSpec> ValidateFlags() {
  return {
      {"seed", "N", "what all chance follows from; equal seeds, equal bytes"},
      {"jobs", "N", "threads; all processors if not given"},
      {"only", "NAME", "claims whose name contains this"},
      {"platform", "NAME",
       "costs of this machine: claims on AF_UNIX, and a grid measured here"},
      {"json", "FILE", "the table for machines; - is standard output"},
      {"record", "FILE", "the table as reports quote it, protobuf text"},
      {"quiet", "", "no text, no progress"},
      {"help", "", "this text"},
      {"version", "", "the model's version"},
  };
}

bool HasClaim(const Probe& probe, const std::string& part) {
  return std::any_of(probe.claims.begin(), probe.claims.end(),
                     [&part](const Claim& claim) {
                       return absl::StrContains(claim.name, part);
                     });
}

bool BearsOn(const Probe& probe, Scenario::Flow::Transport transport) {
  return absl::c_linear_search(probe.bears_on, transport);
}

// Probes of which some claim is wanted; claims of one probe stay together.
// Costs of this machine say something of Linux's AF_UNIX alone.
std::vector<Probe> Wanted(const std::string& part, bool on_this_machine) {
  std::vector<Probe> wanted;
  for (Probe& probe : AllProbes()) {
    if (!HasClaim(probe, part)) continue;
    if (on_this_machine && !BearsOn(probe, Scenario::Flow::UNIX)) continue;
    wanted.push_back(std::move(probe));
  }
  return wanted;
}

std::string ClaimNames() {
  std::string names;
  for (const Probe& probe : AllProbes()) {
    for (const Claim& claim : probe.claims) {
      absl::StrAppend(&names, " ", claim.name);
    }
  }
  return names;
}

// One of the project's, else of the user's.
absl::StatusOr<Platform> FindPlatform(const std::string& name) {
  const absl::StatusOr<std::string> of_project = PlatformFile(name, ".");
  if (of_project.ok() && std::filesystem::exists(*of_project)) {
    return ReadPlatform(*of_project);
  }
  const std::string file = absl::EndsWith(name, ".textproto")
                               ? name
                               : absl::StrCat(name, ".textproto");
  return ReadPlatform(UserPath(file));
}

absl::StatusOr<ValidateOptions> ReadOptions(const Arguments& arguments,
                                            const OutputOptions& output) {
  const absl::StatusOr<absl::optional<uint64_t>> seed =
      arguments.Value<uint64_t>("seed");
  if (!seed.ok()) return seed.status();
  ValidateOptions options;
  options.seed = seed->value_or(1);
  options.jobs = output.jobs;
  if (const auto name = arguments.Text("platform")) {
    absl::StatusOr<Platform> platform = FindPlatform(*name);
    if (!platform.ok()) return platform.status();
    options.platform = *std::move(platform);
  }
  return options;
}

// The model's AF_UNIX beside this machine's, by buffer and message size.
int CompareWithThisMachine(const Platform& platform) {
  const double before = bench::LoadAverage();
  const auto cells = bench::RunUnixGrid(platform, {});
  if (!cells.ok()) return UsageError(kProgram, cells.status());
  std::printf("\nAF_UNIX on %s\nload average %.2f before, %.2f after\n\n%s",
              bench::ThisMachine().c_str(), before, bench::LoadAverage(),
              bench::UnixGridTable(*cells).c_str());
  return kSuccess;
}

int Report(const Arguments& arguments, const OutputOptions& output,
           const ValidationTable& table) {
  absl::Status status;
  if (!output.json.empty()) {
    status.Update(WriteOutput(output.json, MessageJson(table)));
  }
  if (const auto record = arguments.Text("record")) {
    status.Update(WriteOutput(UserPath(*record), RecordText(table)));
  }
  if (output.prints_text()) std::printf("%s", TableText(table).c_str());
  if (status.ok()) return kSuccess;
  std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
  return kFailure;
}

int Compare(const Arguments& arguments, const OutputOptions& output,
            ValidateOptions options) {
  const std::vector<Probe> probes =
      Wanted(arguments.Text("only").value_or(""), options.platform.has_value());
  if (probes.empty()) {
    return UsageError(kProgram, absl::InvalidArgumentError(
                                    absl::StrCat("--only: no claim has such "
                                                 "a name; there are\n",
                                                 Wrap(ClaimNames()))));
  }
  const std::atomic<bool>& stop = StopOnInterrupt();
  absl::StatusOr<ValidationTable> table;
  {
    Progress progress;
    if (!output.quiet) {
      options.progress = [&progress](uint32_t done, uint32_t all) {
        progress.Show(done, all);
      };
    }
    table = Validate(probes, options, stop);
  }
  if (table.ok()) {
    const int code = Report(arguments, output, *table);
    if (code != kSuccess || !options.platform.has_value()) return code;
    return CompareWithThisMachine(*options.platform);
  }
  std::fprintf(stderr, "error: %s\n",
               std::string(table.status().message()).c_str());
  return absl::IsCancelled(table.status()) ? kInterrupted : kFailure;
}

int Run(const Arguments& arguments) {
  const absl::StatusOr<OutputOptions> output = ReadOutputOptions(arguments);
  if (!output.ok()) return UsageError(kProgram, output.status());
  const absl::StatusOr<ValidateOptions> options =
      ReadOptions(arguments, *output);
  if (!options.ok()) return UsageError(kProgram, options.status());
  return Compare(arguments, *output, *options);
}

CommandLine ValidateModel() {
  return {.name = kProgram,
          .help = kHelp,
          .exit_codes = kExitCodes,
          .flags = ValidateFlags(),
          .run = Run};
}

}  // namespace
}  // namespace sim

int main(int argc, char** argv) {
  return sim::RunCommandLine(sim::ValidateModel(),
                             std::vector<std::string>(argv + 1, argv + argc));
}
