#include "sim/platform_loader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/costs.h"
#include "sim/files.h"
#include "sim/near_names.h"
#include "sim/platform.pb.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"
#include "sim/text_message.h"

namespace sim {
namespace {

constexpr absl::string_view kTextproto = ".textproto";

// Costs that are paid for each byte; the others are for each time.
bool IsPerByte(absl::string_view name) {
  return name == "copy" || name == "worker_copy" || name == "unix_copy_out" ||
         name == "user_copy";
}

void CheckCost(const Cost& cost, const std::string& name, Problems& problems) {
  if (!cost.has_low() || !cost.has_mode() || !cost.has_high()) {
    problems.Add(name, "needs low, mode and high");
  } else if (cost.low() > cost.mode() || cost.mode() > cost.high()) {
    problems.Add(name, "needs low <= mode <= high");
  }
  const Cost::Unit unit =
      IsPerByte(name) ? Cost::PICOSECONDS_PER_BYTE : Cost::NANOSECONDS;
  if (!cost.has_unit() || cost.unit() != unit) {
    problems.Add(name + ".unit",
                 absl::StrCat("must be ", Cost::Unit_Name(unit)));
  }
  if (cost.source().empty()) problems.Add(name + ".source", "missing");
}

bool HasCost(const Platform& platform, const std::string& name) {
  return platform.GetReflection()->HasField(
      platform, Platform::descriptor()->FindFieldByName(name));
}

// A platform that extends another may leave costs out, but not parts of one.
absl::Status CheckPlatform(const Platform& platform, const TextSource& source) {
  Problems problems(source, *Platform::descriptor());
  if (platform.name().empty()) problems.Add("name", "missing");
  for (const std::string& name : CostNames()) {
    if (platform.has_extends() && !HasCost(platform, name)) continue;
    CheckCost(CostOf(platform, name), name, problems);
  }
  return problems.ToStatus();
}

absl::Status ExtendsError(const TextSource& source, absl::string_view what) {
  Problems problems(source, *Platform::descriptor());
  problems.Add("extends", what);
  return problems.ToStatus();
}

void TakeMissingCosts(const Platform& from, Platform& platform) {
  for (const std::string& name : CostNames()) {
    if (HasCost(platform, name)) continue;
    MutableCostOf(platform, name) = CostOf(from, name);
  }
}

// `readers` are the files that extend this one, directly or not.
absl::StatusOr<Platform> Read(const std::string& path,
                              std::vector<std::string> readers) {
  Platform platform;
  TextSource source(path);
  absl::Status status = source.ReadInto(platform);
  if (status.ok()) status = CheckPlatform(platform, source);
  if (!status.ok()) return status;
  if (!platform.has_extends()) return platform;
  const absl::StatusOr<std::string> base =
      PlatformFile(platform.extends(), FolderOf(path));
  if (!base.ok()) return ExtendsError(source, base.status().message());
  readers.push_back(path);
  if (std::find(readers.begin(), readers.end(), *base) != readers.end()) {
    return ExtendsError(source, "leads back to this file");
  }
  const absl::StatusOr<Platform> extended = Read(*base, std::move(readers));
  if (!extended.ok()) return ExtendsError(source, extended.status().message());
  TakeMissingCosts(*extended, platform);
  return platform;
}

void Override(const Scenario::CostOverride& with, Cost& cost) {
  uint32_t mode = with.value();
  if (with.has_at()) {
    switch (with.at()) {
      case Scenario::CostOverride::LOW:
        mode = cost.low();
        break;
      case Scenario::CostOverride::MODE:
        mode = cost.mode();
        break;
      case Scenario::CostOverride::HIGH:
        mode = cost.high();
        break;
    }
  }
  cost.set_mode(mode);
}

}  // namespace

absl::StatusOr<std::string> PlatformFile(const std::string& name,
                                         const std::string& folder) {
  if (absl::StartsWith(name, "/")) return name;
  if (absl::EndsWith(name, kTextproto)) return absl::StrCat(folder, "/", name);
  return DataPath(absl::StrCat("sim/platforms/", name, kTextproto));
}

absl::StatusOr<Platform> ReadPlatform(const std::string& path) {
  return Read(path, {});
}

absl::Status OverrideCosts(const Scenario& scenario, const TextSource& source,
                           Platform& platform) {
  Problems problems(source, *Scenario::descriptor());
  const std::vector<std::string> known = CostNames();
  for (int i = 0; i < scenario.cost_size(); ++i) {
    const std::string& name = scenario.cost(i).name();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      problems.Add(
          absl::StrCat("cost[", i, "].name"),
          absl::StrCat("no cost \"", name, "\"", NearNames(name, known)));
      continue;
    }
    Override(scenario.cost(i), MutableCostOf(platform, name));
  }
  return problems.ToStatus();
}

}  // namespace sim
