// values.h: one number of an experiment, over its replicates.

#ifndef SIM_VALUES_H_
#define SIM_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "sim/result.pb.h"

namespace sim {

// "<flow>.<metric>" or "totals.<metric>", as in sim/metric.h.
struct MetricName {
  absl::string_view subject;
  absl::string_view metric;
};

MetricName SplitMetric(absl::string_view name);

// In the order of the replicates; runs that are missing or lack the number are
// left out. For share_of_unstressed each run is divided by the one with the
// same seed in the unstressed arm.
std::vector<double> Values(const ScenarioResult& result, absl::string_view arm,
                           MetricName name);

// Only replicates that both arms have.
struct ValuePairs {
  std::vector<double> arm;
  std::vector<double> against;
};
ValuePairs PairedValues(const ScenarioResult& result,
                        const Scenario::Comparison& of, MetricName name);

}  // namespace sim

#endif  // SIM_VALUES_H_
