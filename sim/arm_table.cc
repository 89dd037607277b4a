#include "sim/arm_table.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sim/flow_text.h"
#include "sim/metric.h"
#include "sim/number_text.h"
#include "sim/result.pb.h"
#include "sim/result_query.h"
#include "sim/scenario_names.h"
#include "sim/text_table.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

constexpr int kArmsPerTable = 3;
constexpr size_t kWidestTitle = 22;
constexpr double kBytesPerMegabyte = 1e6;
constexpr char kNothing[] = "-";

std::string Title(const Arm& arm) {
  return arm.title().size() <= kWidestTitle
             ? arm.title()
             : absl::StrCat(arm.title().substr(0, kWidestTitle - 2), "..");
}

// The flow that a row is about, in one arm; null if the arm has none there.
using Choose = std::function<const Flow*(const Arm&)>;
using Print = std::function<std::string(const Arm&, const Flow&)>;

class TableOfArms {
 public:
  TableOfArms(const ScenarioResult& result, int first)
      : result_(result), scenario_(result.scenario()) {
    const int end = std::min(first + kArmsPerTable, scenario_.arm_size());
    for (int i = first; i < end; ++i) arms_.push_back(&scenario_.arm(i));
  }

  std::string ToString() {
    AddTitles();
    for (const Flow& flow : scenario_.flow()) {
      if (flow.measured()) AddMeasured(flow);
    }
    for (size_t slot = 0; slot < LoadSlots(); ++slot) AddLoad(slot);
    AddTotals();
    return table_.ToString();
  }

 private:
  void AddTitles() {
    std::vector<std::string> cells = {"means of all replicates"};
    for (const Arm* arm : arms_) cells.push_back(Title(*arm));
    table_.AddRow(std::move(cells));
  }

  void AddFlowRow(absl::string_view label, const Choose& choose,
                  const Print& print) {
    std::vector<std::string> cells = {std::string(label)};
    for (const Arm* arm : arms_) {
      const Flow* flow = choose(*arm);
      cells.push_back(flow == nullptr ? kNothing : print(*arm, *flow));
    }
    table_.AddRow(std::move(cells));
  }

  const Summary* Find(const Arm& arm, const Flow& flow,
                      absl::string_view metric) const {
    return FindSummary(result_, arm.name(),
                       absl::StrCat(flow.name(), ".", metric));
  }

  // Prints the mean of a metric, divided by `unit`.
  Print Mean(absl::string_view metric, double unit = 1) const {
    return [this, metric, unit](const Arm& arm, const Flow& flow) {
      const Summary* summary = Find(arm, flow, metric);
      return summary == nullptr ? kNothing : Short(summary->mean() / unit);
    };
  }

  // Time that senders were blocked, as a share of all their time.
  Print Blocked(absl::string_view metric) const {
    return [this, metric](const Arm& arm, const Flow& flow) -> std::string {
      const Summary* summary = Find(arm, flow, metric);
      if (summary == nullptr) return kNothing;
      const double all = static_cast<double>(flow.count()) *
                         static_cast<double>(scenario_.duration_us());
      return absl::StrFormat("%.1f %%", 100 * summary->mean() / all);
    };
  }

  Print Spread() const {
    return [this](const Arm& arm, const Flow& flow) -> std::string {
      const Summary* summary = Find(arm, flow, kGoodput);
      if (summary == nullptr || !summary->has_standard_deviation()) {
        return kNothing;
      }
      const double sd = summary->standard_deviation();
      return absl::StrCat(
          Short(sd / kBytesPerMegabyte),
          summary->mean() > 0
              ? absl::StrFormat(" (%.1f %%)", 100 * sd / summary->mean())
              : "");
    };
  }

  Print IntervalOf() const {
    return [this](const Arm& arm, const Flow& flow) -> std::string {
      const Summary* summary = Find(arm, flow, kGoodput);
      if (summary == nullptr || !summary->has_interval_low()) return kNothing;
      return absl::StrCat(Short(summary->interval_low() / kBytesPerMegabyte),
                          " .. ",
                          Short(summary->interval_high() / kBytesPerMegabyte));
    };
  }

  Print Share() const {
    return [this](const Arm& arm, const Flow& flow) -> std::string {
      const Summary* summary = Find(arm, flow, kShareOfUnstressed);
      return summary == nullptr
                 ? kNothing
                 : absl::StrFormat("%.1f %%", 100 * summary->mean());
    };
  }

  void AddGoodput(const Choose& choose) {
    AddFlowRow("  goodput, MB/s", choose, Mean(kGoodput, kBytesPerMegabyte));
    AddFlowRow("    standard deviation", choose, Spread());
    AddFlowRow("    95 % interval", choose, IntervalOf());
  }

  void AddLatency(const Choose& choose) {
    AddFlowRow("  message latency p50, us", choose, Mean("latency.p50_us"));
    AddFlowRow("    p99, us", choose, Mean("latency.p99_us"));
    AddFlowRow("    p99.9, us", choose, Mean("latency.p999_us"));
  }

  void AddBlocked(const Choose& choose) {
    AddFlowRow("  senders blocked: on credit", choose,
               Blocked("blocked_on_credit_us"));
    AddFlowRow("    on the send buffer", choose,
               Blocked("blocked_on_send_buffer_us"));
    AddFlowRow("    while the ring was full", choose,
               Blocked("blocked_on_ring_us"));
  }

  // Streams lose nothing, so only the others have a figure.
  void AddDrops(const Choose& choose) {
    AddFlowRow("  packets dropped", choose, Mean("drop.packets"));
    for (const std::string& cause : DropCauses(result_)) {
      AddFlowRow(
          absl::StrCat("    ", cause), choose,
          [this, &cause](const Arm& arm, const Flow& flow) {
            return Short(MeanDrops(result_, arm.name(), flow.name(), cause));
          });
    }
  }

  void AddResets(const Choose& choose) {
    if (!AnyConnectionReset(result_)) return;
    AddFlowRow("  connections reset", choose, Mean("connections_reset"));
  }

  void AddMeasured(const Flow& flow) {
    table_.AddRule();
    table_.AddHeading(
        absl::StrCat(flow.name(), ": ", FlowText(scenario_, flow)));
    const Choose choose = [&flow](const Arm& arm) {
      return RunsIn(arm, flow.name()) ? &flow : nullptr;
    };
    AddGoodput(choose);
    AddFlowRow("    share of unstressed", choose, Share());
    AddLatency(choose);
    AddBlocked(choose);
    if (flow.type() == Flow::DGRAM) AddDrops(choose);
    AddResets(choose);
  }

  // The slot-th flow of the arm that is not measured.
  const Flow* LoadOf(const Arm& arm, size_t slot) const {
    for (const Flow& flow : scenario_.flow()) {
      if (flow.measured() || !RunsIn(arm, flow.name())) continue;
      if (slot-- == 0) return &flow;
    }
    return nullptr;
  }

  size_t LoadSlots() const {
    size_t slots = 0;
    for (const Arm* arm : arms_) {
      while (LoadOf(*arm, slots) != nullptr) ++slots;
    }
    return slots;
  }

  void AddLoad(size_t slot) {
    table_.AddRule();
    const Choose choose = [this, slot](const Arm& arm) {
      return LoadOf(arm, slot);
    };
    AddFlowRow("load", choose,
               [](const Arm&, const Flow& flow) { return flow.name(); });
    AddFlowRow("  senders", choose, [](const Arm&, const Flow& flow) {
      return absl::StrCat(flow.count(),
                          flow.type() == Flow::DGRAM ? " datagram" : " stream");
    });
    AddFlowRow("  goodput, MB/s", choose, Mean(kGoodput, kBytesPerMegabyte));
    AddFlowRow("  Jain's index over senders", choose, Mean("jain_index"));
    AddLatency(choose);
    AddBlocked(choose);
    AddDrops(choose);
    AddResets(choose);
  }

  void AddTotal(absl::string_view label, absl::string_view metric) {
    std::vector<std::string> cells = {std::string(label)};
    for (const Arm* arm : arms_) {
      const Summary* summary =
          FindSummary(result_, arm->name(), absl::StrCat(kTotals, ".", metric));
      cells.push_back(summary == nullptr ? kNothing : Short(summary->mean()));
    }
    table_.AddRow(std::move(cells));
  }

  void AddTotals() {
    table_.AddRule();
    AddTotal("kicks sent", "kicks_sent");
    AddTotal("  suppressed", "kicks_suppressed");
    AddTotal("interrupts sent", "interrupts_sent");
    AddTotal("  suppressed", "interrupts_suppressed");
    AddTotal("credit updates", "credit_updates");
    for (const std::string& station : StationNames(result_))
      AddStation(station);
  }

  void AddStation(const std::string& name) {
    std::vector<std::string> cells = {absl::StrCat("busy: ", name)};
    for (const Arm* arm : arms_) {
      cells.push_back(absl::StrFormat(
          "%.1f %%", 100 * MeanUtilisation(result_, arm->name(), name)));
    }
    table_.AddRow(std::move(cells));
  }

  const ScenarioResult& result_;
  const Scenario& scenario_;
  std::vector<const Arm*> arms_;
  TextTable table_;
};

}  // namespace

std::string ArmTables(const ScenarioResult& result) {
  std::string text;
  for (int first = 0; first < result.scenario().arm_size();
       first += kArmsPerTable) {
    if (first > 0) text += "\n";
    text += TableOfArms(result, first).ToString();
  }
  return text;
}

}  // namespace sim
