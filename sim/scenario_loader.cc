#include "sim/scenario_loader.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/capture_reader.h"
#include "sim/files.h"
#include "sim/platform.pb.h"
#include "sim/platform_loader.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_checks.h"
#include "sim/scenario_defaults.h"
#include "sim/set_flag.h"
#include "sim/text_message.h"

namespace sim {
namespace {

constexpr absl::string_view kTextproto = ".textproto";

absl::Status ApplySettings(const std::vector<Setting>& settings,
                           Scenario& scenario, TextSource& source) {
  for (const Setting& setting : settings) {
    const absl::StatusOr<std::string> path =
        ApplySet(setting.assignment, scenario);
    if (!path.ok()) return path.status();
    source.NoteOverride(*path, setting.origin);
  }
  return absl::OkStatus();
}

// The file that the value at `field` names: relative to the scenario's folder,
// or to the user's if it came from a flag.
std::string NamedFile(const TextSource& source, absl::string_view field,
                      const std::string& name) {
  if (absl::StartsWith(name, "/")) return name;
  if (source.IsOverridden(field)) return UserPath(name);
  return absl::StrCat(FolderOf(source.file()), "/", name);
}

void AddMessages(const CapturedFlow& from, Scenario::Replay& to) {
  for (const CapturedMessage& captured : from.messages) {
    Scenario::Replay::Message& message = *to.add_message();
    message.set_gap_ns(static_cast<uint64_t>(captured.gap.value()));
    message.set_bytes(captured.bytes);
    message.set_reply(captured.reply);
  }
}

// Messages that are there already are what is replayed.
void FillReplay(const TextSource& source, const std::string& path,
                Scenario::Replay& replay, Problems& problems) {
  if (!replay.has_capture() || !replay.message().empty()) return;
  const auto flows =
      ReadCapture(NamedFile(source, path + ".capture", replay.capture()));
  if (!flows.ok()) {
    problems.Add(path + ".capture", flows.status().message());
  } else if (replay.capture_flow() >= flows->size()) {
    problems.Add(path + ".capture_flow",
                 absl::StrCat(replay.capture_flow(), ", but the capture has ",
                              flows->size(), " flows with payload"));
  } else {
    AddMessages((*flows)[replay.capture_flow()], replay);
  }
}

absl::Status FillReplays(const TextSource& source, Scenario& scenario) {
  Problems problems(source, *Scenario::descriptor());
  for (int i = 0; i < scenario.flow_size(); ++i) {
    if (!scenario.flow(i).has_replay()) continue;
    FillReplay(source, absl::StrCat("flow[", i, "].replay"),
               *scenario.mutable_flow(i)->mutable_replay(), problems);
  }
  return problems.ToStatus();
}

// A platform of the project, unless the name is a path.
absl::StatusOr<std::string> PlatformPath(const std::string& name,
                                         const TextSource& source) {
  if (absl::EndsWith(name, kTextproto)) {
    return NamedFile(source, "platform", name);
  }
  return PlatformFile(name, FolderOf(source.file()));
}

absl::StatusOr<Platform> LoadPlatform(const Scenario& scenario,
                                      const TextSource& source) {
  const absl::StatusOr<std::string> path =
      PlatformPath(scenario.platform(), source);
  if (!path.ok()) {
    Problems problems(source, *Scenario::descriptor());
    problems.Add("platform", path.status().message());
    return problems.ToStatus();
  }
  absl::StatusOr<Platform> platform = ReadPlatform(*path);
  if (!platform.ok()) return platform;
  const absl::Status status = OverrideCosts(scenario, source, *platform);
  if (!status.ok()) return status;
  return platform;
}

}  // namespace

absl::StatusOr<LoadedScenario> LoadScenario(
    const std::string& path, const std::vector<Setting>& settings) {
  Scenario scenario;
  TextSource source(path);
  absl::Status status = source.ReadInto(scenario);
  if (status.ok()) status = ApplySettings(settings, scenario, source);
  if (status.ok()) status = FillReplays(source, scenario);
  if (!status.ok()) return status;
  FillDefaults(scenario);
  status = CheckScenario(scenario, source);
  if (!status.ok()) return status;
  const absl::StatusOr<Platform> platform = LoadPlatform(scenario, source);
  if (!platform.ok()) return platform.status();
  return LoadedScenario{scenario, *platform};
}

}  // namespace sim
