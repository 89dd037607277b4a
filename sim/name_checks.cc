#include "sim/name_checks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/problems.h"

namespace sim {
namespace {

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '-';
}

}  // namespace

void CheckName(const std::string& name, absl::string_view path,
               const std::vector<std::string>& earlier, Problems& problems) {
  if (name.empty()) {
    problems.Add(path, "missing");
  } else if (!std::all_of(name.begin(), name.end(), IsNameCharacter)) {
    problems.Add(path, absl::StrCat("\"", name,
                                    "\" has more than letters, digits, '_' "
                                    "and '-'"));
  } else if (std::find(earlier.begin(), earlier.end(), name) != earlier.end()) {
    problems.Add(path, absl::StrCat("\"", name, "\" is there twice"));
  }
}

}  // namespace sim
