#include "sim/report_text.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "sim/arm_table.h"
#include "sim/comparison_text.h"
#include "sim/conclusion.h"
#include "sim/machine_text.h"
#include "sim/notes.h"
#include "sim/number_text.h"
#include "sim/result.pb.h"
#include "sim/version.h"

namespace sim {
namespace {

constexpr size_t kColumns = 100;

std::string Seconds(uint64_t us) {
  return absl::StrFormat("%.3f s", static_cast<double>(us) / 1e6);
}

std::string RunsText(const Scenario& scenario) {
  return absl::StrCat(
      "Model ", kVersion, ", seed ", scenario.seed(), ": ",
      scenario.replicates(), " replicates of ", scenario.arm_size(),
      " arms, equal seeds in all arms; ", Seconds(scenario.duration_us()),
      " measured after ", Seconds(scenario.warmup_us()),
      " of warm-up. All times are simulated. MB are 10^6 bytes.");
}

}  // namespace

std::string Wrap(absl::string_view text) {
  std::string wrapped;
  size_t column = 0;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (column > 0 && column + 1 + word.size() > kColumns) {
      wrapped += "\n";
      column = 0;
    }
    absl::StrAppend(&wrapped, column > 0 ? " " : "", word);
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return wrapped + "\n";
}

std::string ReportHead(const Scenario& scenario, const Platform& platform) {
  std::string notes;
  for (const std::string& note : ScenarioNotes(scenario)) {
    notes += Wrap(absl::StrCat("Note: ", note, "."));
  }
  return absl::StrCat(
      Wrap(absl::StrCat(scenario.name(), ": ", scenario.question())),
      Wrap(RunsText(scenario)), Wrap(MachineText(scenario, platform)), notes,
      "\n");
}

std::string IncompleteText(const ScenarioResult& result) {
  if (result.complete()) return "";
  const uint32_t all = result.scenario().replicates() *
                       static_cast<uint32_t>(result.scenario().arm_size());
  return Wrap(absl::StrCat("INTERRUPTED: ", result.run_size(), " of ", all,
                           " runs were finished; what follows is of these.")) +
         "\n";
}

std::string ExpectationsText(const ScenarioResult& result) {
  std::string text;
  for (const ExpectResult& judged : result.expect()) {
    const Expect& of = judged.of();
    absl::StrAppend(
        &text, judged.held() ? "  held    " : "  BROKEN  ", of.metric(), " in ",
        of.arm(), ":",
        of.has_at_least() ? absl::StrFormat(" at least %g", of.at_least()) : "",
        of.has_at_most() ? absl::StrFormat(" at most %g", of.at_most()) : "",
        judged.has_value() ? absl::StrCat(", is ", Short(judged.value()))
                           : ", was not measured",
        "\n");
  }
  return text.empty() ? "" : absl::StrCat("Expectations\n", text, "\n");
}

std::string ReplayText(const ScenarioResult& result) {
  return absl::StrCat("Replay: ", result.replay(), "\n");
}

std::string ReportBody(const ScenarioResult& result) {
  std::string text = IncompleteText(result) + ArmTables(result) + "\n";
  for (const ComparisonResult& comparison : result.comparison()) {
    absl::StrAppend(&text, ComparisonText(result.scenario(), comparison), "\n",
                    PowerText(comparison), "\n",
                    Wrap(Conclude(result.scenario(), comparison)), "\n");
  }
  return absl::StrCat(text, ExpectationsText(result), ReplayText(result));
}

}  // namespace sim
