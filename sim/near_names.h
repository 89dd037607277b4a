// near_names.h: which of the known names a mistyped one was meant to be.

#ifndef SIM_NEAR_NAMES_H_
#define SIM_NEAR_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sim {

// Single-character insertions, deletions and replacements from `a` to `b`.
int EditDistance(absl::string_view a, absl::string_view b);

// "; did you mean x or y?" with the nearest of `known`, or, if none is near,
// "; there are: " and all of them.
std::string NearNames(absl::string_view name,
                      const std::vector<std::string>& known);

}  // namespace sim

#endif  // SIM_NEAR_NAMES_H_
