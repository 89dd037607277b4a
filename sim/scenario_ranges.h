// scenario_ranges.h: the lawful values of every whole number in a scenario, as
// sim/scenario.proto states them.

#ifndef SIM_SCENARIO_RANGES_H_
#define SIM_SCENARIO_RANGES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"

namespace sim {

struct Range {
  absl::string_view path;  // without numbers of elements: "flow.to.port"
  uint64_t least;
  uint64_t most;
};

absl::Span<const Range> ScenarioRanges();

// Adds a problem for each value that is present and out of its range.
void CheckRanges(const Scenario& scenario, Problems& problems);

}  // namespace sim

#endif  // SIM_SCENARIO_RANGES_H_
