// name_checks.h: names are there, are simple, and are unique.

#ifndef SIM_NAME_CHECKS_H_
#define SIM_NAME_CHECKS_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/problems.h"

namespace sim {

// `name` stands at `path`, and `earlier` before it in the same list.
void CheckName(const std::string& name, absl::string_view path,
               const std::vector<std::string>& earlier, Problems& problems);

// The same for the name of each element of the list at `path`.
template <typename List>
void CheckNames(const List& list, absl::string_view path, Problems& problems) {
  std::vector<std::string> earlier;
  for (const auto& element : list) {
    CheckName(element.name(), absl::StrCat(path, "[", earlier.size(), "].name"),
              earlier, problems);
    earlier.push_back(element.name());
  }
}

}  // namespace sim

#endif  // SIM_NAME_CHECKS_H_
