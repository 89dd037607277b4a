#include "sim/platform_loader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/costs.h"
#include "sim/near_names.h"
#include "sim/platform.pb.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"
#include "sim/text_message.h"

namespace sim {
namespace {

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

absl::Status CheckPlatform(const Platform& platform, const TextSource& source) {
  Problems problems(source, *Platform::descriptor());
  if (platform.name().empty()) problems.Add("name", "missing");
  for (const std::string& name : CostNames()) {
    CheckCost(CostOf(platform, name), name, problems);
  }
  return problems.ToStatus();
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

absl::StatusOr<Platform> ReadPlatform(const std::string& path) {
  Platform platform;
  TextSource source(path);
  absl::Status status = source.ReadInto(platform);
  if (status.ok()) status = CheckPlatform(platform, source);
  if (!status.ok()) return status;
  return platform;
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
