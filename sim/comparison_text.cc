#include "sim/comparison_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sim/comparison.h"
#include "sim/number_text.h"
#include "sim/result.pb.h"
#include "sim/scenario_names.h"

namespace sim {
namespace {

std::string Line(absl::string_view label, absl::string_view value) {
  return absl::StrFormat("  %-32s%s\n", label, value);
}

std::string DifferenceLine(const ComparisonResult& of) {
  if (!of.has_difference_percent()) return "";
  return Line("difference of means",
              absl::StrFormat("%s, 95 %% interval %s to %s",
                              SignedPercent(of.difference_percent()),
                              SignedPercent(of.difference_low_percent()),
                              SignedPercent(of.difference_high_percent())));
}

std::string PairedLine(const ComparisonResult& of) {
  if (!of.has_paired_low_percent()) return "";
  return Line("  of runs with equal seeds",
              absl::StrFormat("95 %% interval %s to %s",
                              SignedPercent(of.paired_low_percent()),
                              SignedPercent(of.paired_high_percent())));
}

std::string WelchLine(const ComparisonResult& of) {
  if (!of.has_welch_p()) return "";
  return Line("Welch's test",
              absl::StrFormat("t = %.2f, %.1f degrees of freedom, p %s",
                              of.welch_t(), of.welch_degrees_of_freedom(),
                              Probability(of.welch_p())));
}

std::string RanksLine(const ComparisonResult& of) {
  if (!of.has_mann_whitney_p()) return "";
  return Line("Mann-Whitney test",
              absl::StrFormat("U = %g, p %s (%s)", of.mann_whitney_u(),
                              Probability(of.mann_whitney_p()),
                              of.mann_whitney_method()));
}

std::string EffectLine(const ComparisonResult& of) {
  if (!of.has_hedges_g() || !of.has_cliffs_delta()) return "";
  return Line("effect size",
              absl::StrFormat("Hedges' g = %.2f, Cliff's delta = %.2f",
                              of.hedges_g(), of.cliffs_delta()));
}

}  // namespace

std::string ComparisonText(const Scenario& scenario,
                           const ComparisonResult& of) {
  const std::string heading = absl::StrFormat(
      "\"%s\" against \"%s\": goodput of %s, %u runs each\n",
      FindArm(scenario, of.of().arm())->title(),
      FindArm(scenario, of.of().against())->title(), of.of().flow(), of.n());
  const std::string tests = DifferenceLine(of) + PairedLine(of) +
                            WelchLine(of) + RanksLine(of) + EffectLine(of);
  return heading +
         (tests.empty() ? "  no spread, so nothing to test\n" : tests);
}

std::string PowerText(const ComparisonResult& comparison) {
  if (!comparison.has_power()) return "";
  const PowerStatement& power = comparison.power();
  const std::string needed =
      power.has_runs_needed()
          ? absl::StrCat(power.runs_needed(), " runs an arm")
          : "more than a million runs an arm";
  return absl::StrCat(
      "What could be told from noise (Welch, two-sided 5 %, power 80 %)\n",
      Line("spread of our runs",
           absl::StrFormat("%.2f %% of the mean", power.spread_percent())),
      Line(absl::StrFormat("with N = %u and this spread", power.runs()),
           absl::StrFormat("a difference of %.2f %% or more",
                           power.resolves_percent())),
      Line(absl::StrFormat("to resolve %g %%", power.difference_percent()),
           absl::StrCat(needed, " with this spread")));
}

}  // namespace sim
