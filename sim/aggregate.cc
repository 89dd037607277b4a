#include "sim/aggregate.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "sim/comparison.h"
#include "sim/metric.h"
#include "sim/number_text.h"
#include "sim/published.h"
#include "sim/result.pb.h"
#include "sim/sample.h"
#include "sim/values.h"

namespace sim {
namespace {

// One value has a mean, two have a spread.
void Fill(const std::vector<double>& values, Summary& summary) {
  summary.set_n(static_cast<uint32_t>(values.size()));
  const absl::StatusOr<double> mean = Mean(values);
  if (mean.ok()) summary.set_mean(Rounded(*mean));
  const absl::StatusOr<Sample> sample = Summarize(values);
  if (!sample.ok()) return;
  const Interval interval = MeanInterval(*sample, kConfidence);
  summary.set_standard_deviation(Rounded(sample->sd));
  summary.set_interval_low(Rounded(interval.low));
  summary.set_interval_high(Rounded(interval.high));
}

void AddSummary(const ScenarioResult& result, const std::string& metric,
                ArmSummary& arm) {
  const std::vector<double> values =
      Values(result, arm.arm(), SplitMetric(metric));
  if (values.empty()) return;
  Summary& summary = *arm.add_summary();
  summary.set_metric(metric);
  Fill(values, summary);
}

void AddArm(const Arm& arm, ScenarioResult& result) {
  ArmSummary summary;
  summary.set_arm(arm.name());
  for (const std::string& flow : arm.flow()) {
    for (const std::string& metric : FlowMetricNames()) {
      AddSummary(result, absl::StrCat(flow, ".", metric), summary);
    }
  }
  for (const std::string& metric : TotalsMetricNames()) {
    AddSummary(result, absl::StrCat(kTotals, ".", metric), summary);
  }
  *result.add_arm() = summary;
}

// What could not be measured does not hold.
void AddExpect(const Expect& expect, ScenarioResult& result) {
  ExpectResult judged;
  *judged.mutable_of() = expect;
  const absl::StatusOr<double> mean =
      Mean(Values(result, expect.arm(), SplitMetric(expect.metric())));
  if (mean.ok()) judged.set_value(Rounded(*mean));
  judged.set_held(mean.ok() &&
                  (!expect.has_at_least() || *mean >= expect.at_least()) &&
                  (!expect.has_at_most() || *mean <= expect.at_most()));
  *result.add_expect() = judged;
}

}  // namespace

void Aggregate(ScenarioResult& result) {
  result.clear_arm();
  result.clear_comparison();
  result.clear_expect();
  for (const Arm& arm : result.scenario().arm()) AddArm(arm, result);
  for (const Scenario::Comparison& of : result.scenario().compare()) {
    *result.add_comparison() =
        Compare(of, PairedValues(result, of, {of.flow(), kGoodput}),
                {.runs = kPublishedRuns,
                 .difference_percent = kPublishedDifferencePercent});
  }
  for (const Expect& expect : result.scenario().expect()) {
    AddExpect(expect, result);
  }
}

}  // namespace sim
