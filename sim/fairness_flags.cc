#include "sim/fairness_flags.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "sim/arguments.h"
#include "sim/command.h"
#include "sim/near_names.h"
#include "sim/scenario_loader.h"

namespace sim {
namespace {

using Names = std::vector<std::string>;

const Names& Pools() {
  static const Names* const kPools =
      new Names{"pool_streams", "pool_datagrams"};
  return *kPools;
}

const Names& AllFlows() {
  static const Names* const kFlows =
      new Names{"lone", "pool_streams", "pool_datagrams"};
  return *kFlows;
}

// A number that goes to one field of several flows.
struct NumberFlag {
  std::string name;
  std::string field;
  const Names& flows;
};

absl::Status AddNumber(const Arguments& arguments, const NumberFlag& flag,
                       std::vector<Setting>& settings) {
  const absl::StatusOr<absl::optional<uint32_t>> value =
      arguments.Value<uint32_t>(flag.name);
  if (!value.ok()) return value.status();
  if (!value->has_value()) return absl::OkStatus();
  for (const std::string& flow : flag.flows) {
    settings.push_back(
        {absl::StrCat("flow.", flow, ".", flag.field, "=", **value),
         absl::StrCat("--", flag.name, "=", **value)});
  }
  return absl::OkStatus();
}

// One of `lawful`, or an error.
absl::Status CheckChoice(absl::string_view flag, const std::string& value,
                         const Names& lawful) {
  for (const std::string& known : lawful) {
    if (value == known) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value,
                                                 ": not a lawful value",
                                                 NearNames(value, lawful)));
}

absl::Status AddDirection(const Arguments& arguments,
                          std::vector<Setting>& settings) {
  const absl::optional<std::string> value = arguments.Text("direction");
  if (!value.has_value()) return absl::OkStatus();
  const absl::Status status =
      CheckChoice("direction", *value, {"guest-to-host", "host-to-guest"});
  if (!status.ok() || *value == "guest-to-host") return status;
  const std::string origin = absl::StrCat("--direction=", *value);
  for (const std::string& flow : AllFlows()) {
    settings.push_back({absl::StrCat("flow.", flow, ".from.cid=2"), origin});
    settings.push_back({absl::StrCat("flow.", flow, ".to.cid=3"), origin});
  }
  return absl::OkStatus();
}

// Of the pools; the lone stream is always read.
absl::Status AddReceiver(const Arguments& arguments,
                         std::vector<Setting>& settings) {
  const absl::optional<std::string> value = arguments.Text("receiver");
  if (!value.has_value()) return absl::OkStatus();
  const absl::Status status =
      CheckChoice("receiver", *value, {"reads", "slow", "absent"});
  if (!status.ok()) return status;
  for (const std::string& flow : Pools()) {
    settings.push_back({absl::StrCat("flow.", flow, ".receiver.behaviour=",
                                     absl::AsciiStrToUpper(*value)),
                        absl::StrCat("--receiver=", *value)});
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<FlagSpec> FairnessFlags() {
  std::vector<FlagSpec> flags = {
      {"pool", "N", "senders of each pool; 16 if not given"},
      {"payload", "BYTES", "of each message, in all flows; 4096"},
      {"buffer", "BYTES", "socket buffer, in all flows; 131072"},
      {"direction", "WAY", "guest-to-host, or host-to-guest"},
      {"receiver", "KIND", "of the pools: reads, slow (1 ms a read), absent"},
  };
  for (const FlagSpec& flag : CommonFlags()) flags.push_back(flag);
  return flags;
}

absl::StatusOr<std::vector<Setting>> ReadFairnessSettings(
    const Arguments& arguments) {
  std::vector<Setting> settings;
  absl::Status status;
  for (const NumberFlag& flag :
       {NumberFlag{"pool", "count", Pools()},
        NumberFlag{"payload", "message_bytes", AllFlows()},
        NumberFlag{"buffer", "buffer_bytes", AllFlows()}}) {
    status.Update(AddNumber(arguments, flag, settings));
  }
  status.Update(AddDirection(arguments, settings));
  status.Update(AddReceiver(arguments, settings));
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<Setting>> common =
      ReadCommonSettings(arguments);
  if (!common.ok()) return common.status();
  settings.insert(settings.end(), common->begin(), common->end());
  return settings;
}

}  // namespace sim
