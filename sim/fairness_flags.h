// fairness_flags.h: the flags of //sim:fairness, as settings of its scenario.

#ifndef SIM_FAIRNESS_FLAGS_H_
#define SIM_FAIRNESS_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/scenario_loader.h"

namespace sim {

inline constexpr char kFairnessScenario[] = "fairness_default";

// Its own flags, then the common ones.
std::vector<FlagSpec> FairnessFlags();

// What the flags change in fairness_default; --set comes last.
absl::StatusOr<std::vector<Setting>> ReadFairnessSettings(
    const Arguments& arguments);

}  // namespace sim

#endif  // SIM_FAIRNESS_FLAGS_H_
