#include "sim/values.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "sim/metric.h"
#include "sim/result.pb.h"

namespace sim {
namespace {

using ByReplicate = absl::btree_map<uint32_t, double>;

ByReplicate Collect(const ScenarioResult& result, absl::string_view arm,
                    MetricName name) {
  ByReplicate values;
  for (const RunResult& run : result.run()) {
    if (run.arm() != arm) continue;
    const absl::optional<double> value =
        MetricValue(run, name.subject, name.metric);
    if (value.has_value()) values[run.replicate()] = *value;
  }
  return values;
}

ByReplicate ShareOfUnstressed(const ScenarioResult& result,
                              absl::string_view arm, absl::string_view flow) {
  const MetricName goodput = {flow, kGoodput};
  const ByReplicate unstressed =
      Collect(result, result.scenario().unstressed_arm(), goodput);
  ByReplicate shares;
  for (const auto& [replicate, value] : Collect(result, arm, goodput)) {
    const auto whole = unstressed.find(replicate);
    if (whole != unstressed.end() && whole->second > 0) {
      shares[replicate] = value / whole->second;
    }
  }
  return shares;
}

ByReplicate ValuesByReplicate(const ScenarioResult& result,
                              absl::string_view arm, MetricName name) {
  return name.metric == kShareOfUnstressed
             ? ShareOfUnstressed(result, arm, name.subject)
             : Collect(result, arm, name);
}

}  // namespace

MetricName SplitMetric(absl::string_view name) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(name, absl::MaxSplits('.', 1));
  return {halves.first, halves.second};
}

std::vector<double> Values(const ScenarioResult& result, absl::string_view arm,
                           MetricName name) {
  std::vector<double> values;
  for (const auto& [replicate, value] : ValuesByReplicate(result, arm, name)) {
    values.push_back(value);
  }
  return values;
}

ValuePairs PairedValues(const ScenarioResult& result,
                        const Scenario::Comparison& of, MetricName name) {
  const ByReplicate against = ValuesByReplicate(result, of.against(), name);
  ValuePairs pairs;
  for (const auto& [replicate, value] :
       ValuesByReplicate(result, of.arm(), name)) {
    const auto other = against.find(replicate);
    if (other == against.end()) continue;
    pairs.arm.push_back(value);
    pairs.against.push_back(other->second);
  }
  return pairs;
}

}  // namespace sim
