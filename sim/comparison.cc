#include "sim/comparison.h"

#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "sim/difference.h"
#include "sim/effect_size.h"
#include "sim/number_text.h"
#include "sim/power.h"
#include "sim/result.pb.h"
#include "sim/sample.h"
#include "sim/significance.h"
#include "sim/values.h"

namespace sim {
namespace {

void AddDifference(const ValuePairs& values, const Sample& arm,
                   const Sample& against, ComparisonResult& result) {
  const absl::StatusOr<Difference> welch =
      WelchDifference(arm, against, against.mean, kConfidence);
  if (!welch.ok()) return;
  result.set_difference_percent(Rounded(welch->percent));
  result.set_difference_low_percent(Rounded(welch->interval.low));
  result.set_difference_high_percent(Rounded(welch->interval.high));
  const absl::StatusOr<Sample> pairs =
      SummarizePairs(values.arm, values.against);
  if (!pairs.ok()) return;
  const absl::StatusOr<Difference> paired =
      PairedDifference(*pairs, against.mean, kConfidence);
  if (!paired.ok()) return;
  result.set_paired_low_percent(Rounded(paired->interval.low));
  result.set_paired_high_percent(Rounded(paired->interval.high));
}

void AddTests(const ValuePairs& values, const Sample& arm,
              const Sample& against, ComparisonResult& result) {
  const absl::StatusOr<TTest> welch = WelchTest(arm, against);
  if (welch.ok()) {
    result.set_welch_t(Rounded(welch->t));
    result.set_welch_degrees_of_freedom(Rounded(welch->df));
    result.set_welch_p(Rounded(welch->p));
  }
  const absl::StatusOr<UTest> ranks =
      MannWhitneyTest(values.arm, values.against);
  if (ranks.ok()) {
    result.set_mann_whitney_u(ranks->u);
    result.set_mann_whitney_p(Rounded(ranks->p));
    result.set_mann_whitney_method(
        ranks->method == UTest::Method::kExact ? "exact" : "normal");
  }
}

void AddEffectSizes(const ValuePairs& values, const Sample& arm,
                    const Sample& against, ComparisonResult& result) {
  const absl::StatusOr<double> hedges = HedgesG(arm, against);
  if (hedges.ok()) result.set_hedges_g(Rounded(*hedges));
  const absl::StatusOr<double> cliff = CliffsDelta(values.arm, values.against);
  if (cliff.ok()) result.set_cliffs_delta(Rounded(*cliff));
}

// With equal numbers of runs the pooled variance is the mean of both.
void AddPower(const Sample& arm, const Sample& against, const Planned& planned,
              ComparisonResult& result) {
  const double sd = std::sqrt((arm.sd * arm.sd + against.sd * against.sd) / 2);
  if (!(sd > 0) || !(against.mean > 0)) return;
  const double spread = 100 * sd / against.mean;
  PowerStatement& power = *result.mutable_power();
  power.set_spread_percent(Rounded(spread));
  power.set_runs(planned.runs);
  power.set_resolves_percent(Rounded(MinimumDetectableDifference(
      {.runs = planned.runs, .alpha = kAlpha}, spread, kPower)));
  power.set_difference_percent(planned.difference_percent);
  const absl::StatusOr<uint32_t> runs =
      RunsPerArm(kAlpha, spread, planned.difference_percent, kPower);
  if (runs.ok()) power.set_runs_needed(*runs);
}

}  // namespace

ComparisonResult Compare(const Scenario::Comparison& of,
                         const ValuePairs& values, const Planned& planned) {
  ComparisonResult result;
  *result.mutable_of() = of;
  result.set_n(static_cast<uint32_t>(values.arm.size()));
  const absl::StatusOr<Sample> arm = Summarize(values.arm);
  const absl::StatusOr<Sample> against = Summarize(values.against);
  if (!arm.ok() || !against.ok()) return result;
  AddDifference(values, *arm, *against, result);
  AddTests(values, *arm, *against, result);
  AddEffectSizes(values, *arm, *against, result);
  AddPower(*arm, *against, planned, result);
  return result;
}

}  // namespace sim
