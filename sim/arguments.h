// arguments.h: the command line of the programs in this folder.
//
// Values are read by Abseil's flag parsers. The command line itself is not,
// since Abseil ends the program with exit code 1 where ours is 2, and keeps one
// value of a flag that may be given often.

#ifndef SIM_ARGUMENTS_H_
#define SIM_ARGUMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/flags/marshalling.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace sim {

struct FlagSpec {
  std::string name;
  std::string value;  // what stands for it in the help; none: a switch
  std::string help;
};

class Arguments {
 public:
  // --name=value, --name value, --switch; "--" ends the flags. Of a flag that
  // is given twice the last counts, unless All is asked.
  static absl::StatusOr<Arguments> Parse(const std::vector<std::string>& args,
                                         const std::vector<FlagSpec>& specs);

  bool Has(absl::string_view name) const;
  std::vector<std::string> All(absl::string_view name) const;
  absl::optional<std::string> Text(absl::string_view name) const;

  // Nothing if the flag was not given.
  template <typename T>
  absl::StatusOr<absl::optional<T>> Value(absl::string_view name) const {
    const absl::optional<std::string> text = Text(name);
    if (!text.has_value()) return absl::optional<T>();
    T value;
    std::string error;
    if (absl::ParseFlag(*text, &value, &error)) {
      return absl::make_optional(value);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", *text, ": not a lawful value",
                     error.empty() ? "" : ": ", error));
  }

  const std::vector<std::string>& positional() const { return positional_; }

  // The flags as given, but for those of `without`, fit for a shell.
  std::string Again(const std::vector<std::string>& without) const;

 private:
  // Takes the flag `argument`, and its value from `next` if it has none itself.
  absl::Status AddFlag(absl::string_view argument,
                       const std::vector<FlagSpec>& specs,
                       std::vector<std::string>::const_iterator& next,
                       std::vector<std::string>::const_iterator end);

  std::vector<std::pair<std::string, std::string>> flags_;
  std::vector<std::string> positional_;
};

// `text` as one word for a shell.
std::string ShellWord(absl::string_view text);

// One line for each flag.
std::string FlagsHelp(const std::vector<FlagSpec>& specs);

}  // namespace sim

#endif  // SIM_ARGUMENTS_H_
