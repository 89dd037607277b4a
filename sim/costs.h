// costs.h: the costs of a platform, one after the other, by name.

#ifndef SIM_COSTS_H_
#define SIM_COSTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sim/platform.pb.h"

namespace sim {

// Names of all costs that a platform can state, in the schema's order.
std::vector<std::string> CostNames();

// `name` is one of them.
const Cost& CostOf(const Platform& platform, absl::string_view name);
Cost& MutableCostOf(Platform& platform, absl::string_view name);

}  // namespace sim

#endif  // SIM_COSTS_H_
