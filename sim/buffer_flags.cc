#include "sim/buffer_flags.h"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "sim/command.h"
#include "sim/near_names.h"

namespace sim {
namespace {

constexpr uint32_t kLeastBuffer = 1024;
constexpr uint32_t kMostBuffer = 1073741824;
constexpr uint64_t kMostImage = uint64_t{1} << 50;

// The flag's value, which must be one of `lawful`; the first if it is absent.
absl::StatusOr<std::string> ReadChoice(const Arguments& arguments,
                                       const std::string& flag,
                                       const std::vector<std::string>& lawful) {
  const std::string value = arguments.Text(flag).value_or(lawful[0]);
  for (const std::string& known : lawful) {
    if (value == known) return value;
  }
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value,
                                                 ": not a lawful value",
                                                 NearNames(value, lawful)));
}

absl::Status ReadBuffer(const Arguments& arguments, const std::string& flag,
                        uint32_t& buffer) {
  const absl::StatusOr<absl::optional<uint32_t>> value =
      arguments.Value<uint32_t>(flag);
  if (!value.ok()) return value.status();
  buffer = value->value_or(buffer);
  if (std::has_single_bit(buffer) && buffer >= kLeastBuffer &&
      buffer <= kMostBuffer) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", buffer, ": not a power of two in ",
                   kLeastBuffer, "..", kMostBuffer));
}

absl::Status ReadImage(const Arguments& arguments, uint64_t& image) {
  const absl::StatusOr<absl::optional<uint64_t>> value =
      arguments.Value<uint64_t>("image");
  if (!value.ok()) return value.status();
  image = value->value_or(image);
  if (image >= 1 && image <= kMostImage) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--image=", image, ": not in 1..", kMostImage));
}

}  // namespace

std::vector<FlagSpec> BufferFlags() {
  std::vector<FlagSpec> flags = {
      {"system", "NAME", "whose AF_UNIX: linux, or macos"},
      {"direction", "WAY", "both, read or write"},
      {"from", "BYTES", "smallest buffer, a power of two; 8192"},
      {"to", "BYTES", "largest buffer, likewise; 8388608"},
      {"image", "BYTES", "what the times are for; 1073741824"},
      {"platform", "NAME", "costs; the system's if not given"},
  };
  for (const FlagSpec& flag : CommonFlags()) flags.push_back(flag);
  return flags;
}

absl::StatusOr<std::vector<Setting>> ReadBufferSettings(
    const Arguments& arguments) {
  const absl::StatusOr<std::string> system =
      ReadChoice(arguments, "system", {"linux", "macos"});
  if (!system.ok()) return system.status();
  const bool macos = *system == "macos";
  const std::string origin = absl::StrCat("--system=", *system);
  std::vector<Setting> settings;
  for (const char* flow : {"read", "write"}) {
    settings.push_back({absl::StrCat("flow.", flow, ".transport=",
                                     macos ? "UNIX_BSD" : "UNIX"),
                        origin});
  }
  const absl::optional<std::string> platform = arguments.Text("platform");
  settings.push_back(
      {absl::StrCat("platform=",
                    platform.value_or(macos ? "macos" : "linux_kvm")),
       platform.has_value() ? absl::StrCat("--platform=", *platform) : origin});
  const absl::StatusOr<std::vector<Setting>> common =
      ReadCommonSettings(arguments);
  if (!common.ok()) return common.status();
  settings.insert(settings.end(), common->begin(), common->end());
  return settings;
}

absl::StatusOr<BufferGrid::Options> ReadBufferOptions(
    const Arguments& arguments) {
  BufferGrid::Options options;
  absl::Status status = ReadBuffer(arguments, "from", options.from);
  status.Update(ReadBuffer(arguments, "to", options.to));
  status.Update(ReadImage(arguments, options.image_bytes));
  if (!status.ok()) return status;
  if (options.from > options.to) {
    return absl::InvalidArgumentError("--from is above --to");
  }
  const absl::StatusOr<std::string> direction =
      ReadChoice(arguments, "direction", {"both", "read", "write"});
  if (!direction.ok()) return direction.status();
  if (*direction != "both") options.directions = {*direction};
  return options;
}

}  // namespace sim
