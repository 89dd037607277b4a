#include "sim/result_query.h"

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "sim/metric.h"
#include "sim/result.pb.h"

namespace sim {

const Summary* FindSummary(const ScenarioResult& result, absl::string_view arm,
                           absl::string_view metric) {
  for (const ArmSummary& of : result.arm()) {
    if (of.arm() != arm) continue;
    for (const Summary& summary : of.summary()) {
      if (summary.metric() == metric) return &summary;
    }
  }
  return nullptr;
}

// Mean packets that `flow` lost for `cause` in a run of `arm`.
double MeanDrops(const ScenarioResult& result, absl::string_view arm,
                 absl::string_view flow, absl::string_view cause) {
  uint64_t packets = 0;
  uint64_t runs = 0;
  for (const RunResult& run : result.run()) {
    const FlowResult* found = FindFlow(run, flow);
    if (run.arm() != arm || found == nullptr) continue;
    ++runs;
    for (const Drop& drop : found->drop()) {
      if (drop.cause() == cause) packets += drop.packets();
    }
  }
  return runs == 0 ? 0
                   : static_cast<double>(packets) / static_cast<double>(runs);
}

std::set<std::string> DropCauses(const ScenarioResult& result) {
  std::set<std::string> causes;
  for (const RunResult& run : result.run()) {
    for (const FlowResult& flow : run.flow()) {
      for (const Drop& drop : flow.drop()) {
        if (drop.packets() > 0) causes.insert(drop.cause());
      }
    }
  }
  return causes;
}

bool AnyConnectionReset(const ScenarioResult& result) {
  for (const RunResult& run : result.run()) {
    for (const FlowResult& flow : run.flow()) {
      if (flow.connections_reset() > 0) return true;
    }
  }
  return false;
}

std::set<std::string> StationNames(const ScenarioResult& result) {
  std::set<std::string> names;
  for (const RunResult& run : result.run()) {
    for (const StationUse& station : run.totals().station()) {
      names.insert(station.name());
    }
  }
  return names;
}

double MeanUtilisation(const ScenarioResult& result, absl::string_view arm,
                       absl::string_view station) {
  double sum = 0;
  double runs = 0;
  for (const RunResult& run : result.run()) {
    if (run.arm() != arm) continue;
    ++runs;
    for (const StationUse& of : run.totals().station()) {
      if (of.name() == station) sum += of.utilisation();
    }
  }
  return runs > 0 ? sum / runs : 0;
}

}  // namespace sim
