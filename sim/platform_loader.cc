#include "sim/platform_loader.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "sim/near_names.h"
#include "sim/platform.pb.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"
#include "sim/text_message.h"

namespace sim {
namespace {

using google::protobuf::FieldDescriptor;

bool IsCost(const FieldDescriptor& field) {
  return field.message_type() == Cost::descriptor();
}

// Costs that are paid for each byte; the others are for each time.
bool IsPerByte(absl::string_view name) {
  return name == "copy" || name == "worker_copy";
}

std::vector<const FieldDescriptor*> CostFields() {
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < Platform::descriptor()->field_count(); ++i) {
    const FieldDescriptor* field = Platform::descriptor()->field(i);
    if (IsCost(*field)) fields.push_back(field);
  }
  return fields;
}

const Cost& CostOf(const Platform& platform, const FieldDescriptor& field) {
  return static_cast<const Cost&>(
      platform.GetReflection()->GetMessage(platform, &field));
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
  for (const FieldDescriptor* field : CostFields()) {
    CheckCost(CostOf(platform, *field), field->name(), problems);
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
  std::vector<std::string> known;
  for (const FieldDescriptor* field : CostFields()) {
    known.push_back(field->name());
  }
  for (int i = 0; i < scenario.cost_size(); ++i) {
    const std::string& name = scenario.cost(i).name();
    const FieldDescriptor* field =
        Platform::descriptor()->FindFieldByName(name);
    if (field == nullptr || !IsCost(*field)) {
      problems.Add(
          absl::StrCat("cost[", i, "].name"),
          absl::StrCat("no cost \"", name, "\"", NearNames(name, known)));
      continue;
    }
    Override(scenario.cost(i),
             static_cast<Cost&>(
                 *platform.GetReflection()->MutableMessage(&platform, field)));
  }
  return problems.ToStatus();
}

}  // namespace sim
