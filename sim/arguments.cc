#include "sim/arguments.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "sim/near_names.h"

namespace sim {
namespace {

absl::Status UnknownFlag(const std::string& name,
                         const std::vector<FlagSpec>& specs) {
  std::vector<std::string> known;
  for (const FlagSpec& spec : specs) known.push_back("--" + spec.name);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown flag --", name, NearNames("--" + name, known)));
}

const FlagSpec* FindSpec(absl::string_view name,
                         const std::vector<FlagSpec>& specs) {
  for (const FlagSpec& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("_-./=:,+@%", c);
}

}  // namespace

absl::StatusOr<Arguments> Arguments::Parse(const std::vector<std::string>& args,
                                           const std::vector<FlagSpec>& specs) {
  Arguments parsed;
  bool flags_ended = false;
  for (auto next = args.begin(); next != args.end();) {
    const std::string& argument = *next++;
    if (flags_ended || !absl::StartsWith(argument, "--")) {
      parsed.positional_.push_back(argument);
    } else if (argument == "--") {
      flags_ended = true;
    } else {
      const absl::Status status =
          parsed.AddFlag(argument, specs, next, args.end());
      if (!status.ok()) return status;
    }
  }
  return parsed;
}

absl::Status Arguments::AddFlag(absl::string_view argument,
                                const std::vector<FlagSpec>& specs,
                                std::vector<std::string>::const_iterator& next,
                                std::vector<std::string>::const_iterator end) {
  const std::vector<std::string> halves =
      absl::StrSplit(argument.substr(2), absl::MaxSplits('=', 1));
  const FlagSpec* spec = FindSpec(halves[0], specs);
  if (spec == nullptr) return UnknownFlag(halves[0], specs);
  const bool is_switch = spec->value.empty();
  if (is_switch && halves.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": this flag takes no value"));
  }
  std::string value = halves.size() > 1 ? halves[1] : "";
  if (!is_switch && halves.size() == 1 && next != end) value = *next++;
  if (!is_switch && value.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", halves[0], ": needs a value, ", spec->value));
  }
  flags_.emplace_back(halves[0], value);
  return absl::OkStatus();
}

bool Arguments::Has(absl::string_view name) const {
  return Text(name).has_value();
}

std::vector<std::string> Arguments::All(absl::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [flag, value] : flags_) {
    if (flag == name) values.push_back(value);
  }
  return values;
}

absl::optional<std::string> Arguments::Text(absl::string_view name) const {
  const std::vector<std::string> values = All(name);
  if (values.empty()) return absl::nullopt;
  return values.back();
}

std::string Arguments::Again(const std::vector<std::string>& without) const {
  std::string text;
  for (const auto& [flag, value] : flags_) {
    if (std::count(without.begin(), without.end(), flag) > 0) continue;
    absl::StrAppend(
        &text, " ",
        ShellWord(absl::StrCat("--", flag, value.empty() ? "" : "=", value)));
  }
  return text;
}

std::string ShellWord(absl::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), IsPlain)) {
    return std::string(text);
  }
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string FlagsHelp(const std::vector<FlagSpec>& specs) {
  std::string help;
  for (const FlagSpec& spec : specs) {
    const std::string flag = absl::StrCat(
        "--", spec.name, spec.value.empty() ? "" : "=", spec.value);
    absl::StrAppendFormat(&help, "  %-27s%s\n", flag, spec.help);
  }
  return help;
}

}  // namespace sim
