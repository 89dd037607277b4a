// result_query.h: finding things in a result, and means that no Summary holds.

#ifndef SIM_RESULT_QUERY_H_
#define SIM_RESULT_QUERY_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "sim/result.pb.h"

namespace sim {

// Null if the arm has no such number.
const Summary* FindSummary(const ScenarioResult& result, absl::string_view arm,
                           absl::string_view metric);

// All causes for which any flow lost a packet.
std::set<std::string> DropCauses(const ScenarioResult& result);

// Packets that `flow` lost for `cause`, mean over the runs of `arm`.
double MeanDrops(const ScenarioResult& result, absl::string_view arm,
                 absl::string_view flow, absl::string_view cause);

bool AnyConnectionReset(const ScenarioResult& result);

std::set<std::string> StationNames(const ScenarioResult& result);

double MeanUtilisation(const ScenarioResult& result, absl::string_view arm,
                       absl::string_view station);

}  // namespace sim

#endif  // SIM_RESULT_QUERY_H_
