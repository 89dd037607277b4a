#include "sim/fairness_report.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/arm_table.h"
#include "sim/comparison_text.h"
#include "sim/conclusion.h"
#include "sim/metric.h"
#include "sim/number_text.h"
#include "sim/published.h"
#include "sim/report_text.h"
#include "sim/result.pb.h"
#include "sim/result_query.h"
#include "sim/scenario_names.h"
#include "sim/text_table.h"

namespace sim {
namespace {

constexpr char kNothing[] = "-";

std::string SignificantText(const ComparisonResult& comparison) {
  switch (Judge(comparison)) {
    case Verdict::kUntested:
      return kNothing;
    case Verdict::kDifferent:
      return "yes";
    case Verdict::kUnclear:
      return "tests disagree";
    case Verdict::kSame:
      return "no";
  }
  return kNothing;
}

std::string PercentText(bool known, double value) {
  return known ? absl::StrFormat("%.1f %%", value) : kNothing;
}

// What the datagrams beside the lone stream got.
std::string DatagramGoodput(const ScenarioResult& result,
                            const std::string& arm) {
  for (const Scenario::Flow& flow : result.scenario().flow()) {
    const bool load = flow.type() == Scenario::Flow::DGRAM && !flow.measured();
    if (!load || !RunsIn(*FindArm(result.scenario(), arm), flow.name())) {
      continue;
    }
    const Summary* summary =
        FindSummary(result, arm, absl::StrCat(flow.name(), ".", kGoodput));
    if (summary != nullptr) return Short(summary->mean() / 1e6);
  }
  return kNothing;
}

// The mail's figures beside ours.
std::string PublishedText(const ScenarioResult& result,
                          const ComparisonResult& comparison) {
  const Implied implied = ImpliedByTheMail();
  const PowerStatement& power = comparison.power();
  const bool powered = comparison.has_power();
  TextTable table;
  table.AddRow(
      {"the mail of 14 April 2023 and this model", "published", "this model"});
  table.AddRow({"  lone stream, datagrams against streams",
                SignedPercent(kPublishedDifferencePercent),
                comparison.has_difference_percent()
                    ? SignedPercent(comparison.difference_percent())
                    : kNothing});
  table.AddRow({"  runs an arm", absl::StrCat(kPublishedRuns),
                absl::StrCat(comparison.n())});
  table.AddRow({"  significant at 5 %", "no", SignificantText(comparison)});
  table.AddRow(
      {"  spread of the runs, of the mean",
       absl::StrFormat("at least %.1f %% (implied)", implied.spread_percent),
       PercentText(powered, power.spread_percent())});
  table.AddRow({"  difference that N = 7 resolves",
                absl::StrFormat("%.1f %% (implied)", implied.resolves_percent),
                PercentText(powered, power.resolves_percent())});
  table.AddRow(
      {"  runs an arm that resolve 16 %",
       absl::StrFormat("%u; %u find it in %.0f %% (implied)",
                       implied.runs_needed, implied.runs_needed - 1,
                       100 * implied.power_of_one_less),
       power.has_runs_needed() ? absl::StrCat(power.runs_needed()) : kNothing});
  table.AddRow({"  datagrams, MB/s (mail: a run of its own)",
                absl::StrFormat("%.1f", kPublishedDatagramMBs),
                DatagramGoodput(result, comparison.of().arm())});
  table.AddRow({"  UDP over virtio-net, MB/s",
                absl::StrFormat("%.2f", kPublishedUdpMBs),
                "preset udp_16_queues"});
  return absl::StrCat(
      table.ToString(),
      "Implied: what \"+16 %, not significant, N = 7\" means by Welch's test "
      "with 12 degrees of freedom.\n");
}

// The question's answer, if there is one.
std::string AnswerTo(const ComparisonResult& comparison) {
  switch (Judge(comparison)) {
    case Verdict::kDifferent:
      return absl::StrCat(
          " So in this model a pool of datagrams hurts a lone stream ",
          comparison.difference_percent() > 0 ? "less" : "more",
          " than a pool of streams does.");
    case Verdict::kSame:
      return " So in this model neither pool hurts a lone stream more than the "
             "other, within that interval.";
    case Verdict::kUnclear:
    case Verdict::kUntested:
      return "";
  }
  return "";
}

// What our result says about the mail's.
std::string PublishedConclusion(const ComparisonResult& comparison) {
  const Implied implied = ImpliedByTheMail();
  std::string text = absl::StrFormat(
      "The mail's %s with N = %u shows neither harm nor its absence: its runs "
      "must have spread by at least %.1f %% of the mean, and then only a "
      "difference of %.1f %% or more is found four times in five.",
      SignedPercent(kPublishedDifferencePercent), kPublishedRuns,
      implied.spread_percent, implied.resolves_percent);
  if (!comparison.has_difference_percent()) return text;
  const double low = comparison.difference_low_percent();
  const double high = comparison.difference_high_percent();
  const std::string published = SignedPercent(kPublishedDifferencePercent);
  if (high < kPublishedDifferencePercent) {
    absl::StrAppend(&text, " In this model the difference is smaller than ",
                    published, ".");
  } else if (low > kPublishedDifferencePercent) {
    absl::StrAppend(&text, " In this model the difference is larger than ",
                    published, ".");
  } else {
    absl::StrAppend(&text, " In this model ", published, " stays possible.");
  }
  return text;
}

std::string AnswerText(const ScenarioResult& result,
                       const ComparisonResult& comparison) {
  return absl::StrCat(ComparisonText(result.scenario(), comparison), "\n",
                      PowerText(comparison), "\n",
                      PublishedText(result, comparison), "\n", "What follows\n",
                      Wrap(absl::StrCat(Conclude(result.scenario(), comparison),
                                        AnswerTo(comparison))),
                      Wrap(PublishedConclusion(comparison)), "\n");
}

}  // namespace

std::string FairnessBody(const ScenarioResult& result) {
  std::string text = IncompleteText(result) + ArmTables(result) + "\n";
  for (const ComparisonResult& comparison : result.comparison()) {
    text += AnswerText(result, comparison);
  }
  return absl::StrCat(text, ExpectationsText(result), ReplayText(result));
}

}  // namespace sim
