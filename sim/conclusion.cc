#include "sim/conclusion.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/comparison.h"
#include "sim/number_text.h"
#include "sim/result.pb.h"
#include "sim/scenario_names.h"

namespace sim {
namespace {

// What the sentences are about, by their titles.
struct Words {
  std::string flow;
  std::string arm;
  std::string against;
};

Words WordsOf(const Scenario& scenario, const Scenario::Comparison& of) {
  return {absl::StrCat("\"", of.flow(), "\""),
          absl::StrCat("\"", FindArm(scenario, of.arm())->title(), "\""),
          absl::StrCat("\"", FindArm(scenario, of.against())->title(), "\"")};
}

std::string IntervalText(const ComparisonResult& comparison) {
  return absl::StrCat(
      "95 % interval ", SignedPercent(comparison.difference_low_percent()),
      " to ", SignedPercent(comparison.difference_high_percent()));
}

std::string Different(const Words& words, const ComparisonResult& comparison) {
  const double percent = comparison.difference_percent();
  return absl::StrFormat(
      "%s gets %s %s in %s than in %s (%s), and chance does not explain it "
      "(Welch p %s, Mann-Whitney p %s).",
      words.flow, UnsignedPercent(percent), percent > 0 ? "more" : "less",
      words.arm, words.against, IntervalText(comparison),
      Probability(comparison.welch_p()),
      Probability(comparison.mann_whitney_p()));
}

std::string Same(const Words& words, const ComparisonResult& comparison) {
  return absl::StrFormat(
      "No difference of %s between %s and %s was found (%s; Welch p %s, "
      "Mann-Whitney p %s), and one outside that interval is unlikely.",
      words.flow, words.arm, words.against, IntervalText(comparison),
      Probability(comparison.welch_p()),
      Probability(comparison.mann_whitney_p()));
}

std::string Unclear(const Words& words, const ComparisonResult& comparison) {
  return absl::StrFormat(
      "Whether %s differs between %s and %s stays open: the two tests disagree "
      "at 5 %% (Welch p %s, Mann-Whitney p %s; %s). More replicates would "
      "tell.",
      words.flow, words.arm, words.against, Probability(comparison.welch_p()),
      Probability(comparison.mann_whitney_p()), IntervalText(comparison));
}

std::string Untested(const Words& words, const ComparisonResult& comparison) {
  if (comparison.n() < 2) {
    return absl::StrFormat(
        "Nothing can be said of %s in %s against %s: that takes two replicates "
        "or more.",
        words.flow, words.arm, words.against);
  }
  return absl::StrFormat(
      "No test applies to %s in %s against %s, since the runs of an arm do not "
      "spread%s.",
      words.flow, words.arm, words.against,
      comparison.has_difference_percent()
          ? absl::StrCat("; the difference is ",
                         SignedPercent(comparison.difference_percent()))
          : "");
}

std::string TooFew(const ComparisonResult& comparison) {
  if (comparison.n() >= 9) return "";
  return absl::StrFormat(
      " With %u replicates this is below the 9 that such tests should have.",
      comparison.n());
}

}  // namespace

Verdict Judge(const ComparisonResult& comparison) {
  if (!comparison.has_welch_p() || !comparison.has_mann_whitney_p()) {
    return Verdict::kUntested;
  }
  const bool welch = comparison.welch_p() < kAlpha;
  const bool ranks = comparison.mann_whitney_p() < kAlpha;
  if (welch != ranks) return Verdict::kUnclear;
  return welch ? Verdict::kDifferent : Verdict::kSame;
}

std::string Conclude(const Scenario& scenario,
                     const ComparisonResult& comparison) {
  const Words words = WordsOf(scenario, comparison.of());
  switch (Judge(comparison)) {
    case Verdict::kUntested:
      return Untested(words, comparison);
    case Verdict::kDifferent:
      return Different(words, comparison) + TooFew(comparison);
    case Verdict::kUnclear:
      return Unclear(words, comparison) + TooFew(comparison);
    case Verdict::kSame:
      return Same(words, comparison) + TooFew(comparison);
  }
  return "";
}

}  // namespace sim
