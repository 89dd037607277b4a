// metric.h: one number of a run, by name.
//
// "<flow>.<number of FlowResult>", "<flow>.latency.<number of Latency>",
// "<flow>.drop.packets" and "<flow>.drop.payload_bytes" (over all causes), and
// "totals.<number of Totals>". "<flow>.share_of_unstressed" needs a second run
// and is known here by name only.

#ifndef SIM_METRIC_H_
#define SIM_METRIC_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "sim/result.pb.h"

namespace sim {

inline constexpr char kTotals[] = "totals";
inline constexpr char kGoodput[] = "goodput_bytes_per_second";
inline constexpr char kShareOfUnstressed[] = "share_of_unstressed";

// What may follow "<flow>." and "totals.".
std::vector<std::string> FlowMetricNames();
std::vector<std::string> TotalsMetricNames();

// The flow of this name, or null.
const FlowResult* FindFlow(const RunResult& run, absl::string_view name);

// `subject` is a flow or "totals". Nothing if the run has no such number.
absl::optional<double> MetricValue(const RunResult& run,
                                   absl::string_view subject,
                                   absl::string_view metric);

}  // namespace sim

#endif  // SIM_METRIC_H_
