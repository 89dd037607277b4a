#include "sim/arm_checks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "sim/metric.h"
#include "sim/name_checks.h"
#include "sim/near_names.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_names.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

// Ports [first, first + count) of one context id. Stream and datagram sockets
// have port spaces of their own.
struct PortRange {
  uint64_t cid = 0;
  Flow::Type type = Flow::STREAM;
  uint64_t first = 0;
  uint64_t count = 0;
  std::string path;
};

bool Overlap(const PortRange& a, const PortRange& b) {
  return a.cid == b.cid && a.type == b.type && a.first < b.first + b.count &&
         b.first < a.first + a.count;
}

// What a flow binds; ephemeral ports avoid what is bound.
std::vector<PortRange> BoundPorts(const Flow& flow, int index) {
  const std::string path = absl::StrCat("flow[", index, "]");
  const bool stream = flow.type() == Flow::STREAM;
  std::vector<PortRange> ranges;
  if (flow.to().port() != 0) {
    ranges.push_back({flow.to().cid(), flow.type(), flow.to().port(),
                      stream ? 1 : flow.receiving_sockets(),
                      path + ".to.port"});
  }
  if (flow.from().port() != 0) {
    ranges.push_back({flow.from().cid(), flow.type(), flow.from().port(),
                      flow.count(), path + ".from.port"});
  }
  return ranges;
}

class ArmCheck {
 public:
  ArmCheck(const Scenario& scenario, int index, Problems& problems)
      : scenario_(scenario),
        arm_(scenario.arm(index)),
        path_(absl::StrCat("arm[", index, "].flow")),
        problems_(problems) {}

  void Run() {
    if (arm_.flow().empty()) problems_.Add(path_, "at least one is needed");
    for (int i = 0; i < arm_.flow_size(); ++i) Name(i);
    Ports();
  }

 private:
  void Name(int i) {
    const std::string& name = arm_.flow(i);
    const std::string at = absl::StrCat(path_, "[", i, "]");
    if (FindFlow(scenario_, name) == nullptr) {
      problems_.Add(at, absl::StrCat("no flow \"", name, "\"",
                                     NearNames(name, FlowNames(scenario_))));
    } else if (std::count(arm_.flow().begin(), arm_.flow().begin() + i, name)) {
      problems_.Add(at, absl::StrCat("\"", name, "\" is there twice"));
    }
  }

  void Ports() {
    std::vector<PortRange> taken;
    for (int i = 0; i < scenario_.flow_size(); ++i) {
      if (!RunsIn(arm_, scenario_.flow(i).name())) continue;
      for (const PortRange& range : BoundPorts(scenario_.flow(i), i)) {
        Clashes(range, taken);
        taken.push_back(range);
      }
    }
  }

  void Clashes(const PortRange& range, const std::vector<PortRange>& taken) {
    for (const PortRange& other : taken) {
      if (!Overlap(range, other)) continue;
      problems_.Add(range.path, absl::StrCat("in arm \"", arm_.name(),
                                             "\" the same ", "port of cid ",
                                             range.cid, " as ", other.path));
    }
  }

  const Scenario& scenario_;
  const Arm& arm_;
  const std::string path_;
  Problems& problems_;
};

// True if there is such an arm.
bool CheckArmName(const Scenario& scenario, const std::string& name,
                  absl::string_view path, Problems& problems) {
  if (FindArm(scenario, name) != nullptr) return true;
  problems.Add(path, name.empty()
                         ? "missing"
                         : absl::StrCat("no arm \"", name, "\"",
                                        NearNames(name, ArmNames(scenario))));
  return false;
}

void CheckRunsIn(const Scenario& scenario, const std::string& flow,
                 const std::string& arm, absl::string_view path,
                 Problems& problems) {
  if (FindFlow(scenario, flow) == nullptr) {
    problems.Add(path, absl::StrCat("no flow \"", flow, "\"",
                                    NearNames(flow, FlowNames(scenario))));
  } else if (!RunsIn(*FindArm(scenario, arm), flow)) {
    problems.Add(path, absl::StrCat("flow \"", flow,
                                    "\" does not run in arm \"", arm, "\""));
  }
}

void CheckComparison(const Scenario& scenario, int index, Problems& problems) {
  const Scenario::Comparison& of = scenario.compare(index);
  const std::string path = absl::StrCat("compare[", index, "]");
  const bool arms =
      CheckArmName(scenario, of.arm(), path + ".arm", problems) &&
      CheckArmName(scenario, of.against(), path + ".against", problems);
  if (!arms) return;
  if (of.arm() == of.against()) {
    problems.Add(path + ".against", "must differ from arm");
  }
  for (const std::string& arm : {of.arm(), of.against()}) {
    CheckRunsIn(scenario, of.flow(), arm, path + ".flow", problems);
  }
}

void CheckMetric(const Scenario& scenario, const Expect& expect,
                 const std::string& path, Problems& problems) {
  const std::vector<std::string> parts =
      absl::StrSplit(expect.metric(), absl::MaxSplits('.', 1));
  const bool totals = parts[0] == kTotals;
  if (parts.size() < 2) {
    problems.Add(path, "expected <flow>.<metric> or totals.<metric>");
    return;
  }
  if (!totals) CheckRunsIn(scenario, parts[0], expect.arm(), path, problems);
  const std::vector<std::string> known =
      totals ? TotalsMetricNames() : FlowMetricNames();
  if (std::find(known.begin(), known.end(), parts[1]) == known.end()) {
    problems.Add(path, absl::StrCat("no metric \"", parts[1], "\"",
                                    NearNames(parts[1], known)));
  }
}

void CheckExpectation(const Scenario& scenario, int index, Problems& problems) {
  const Expect& expect = scenario.expect(index);
  const std::string path = absl::StrCat("expect[", index, "]");
  if (CheckArmName(scenario, expect.arm(), path + ".arm", problems)) {
    CheckMetric(scenario, expect, path + ".metric", problems);
  }
  if (!expect.has_at_least() && !expect.has_at_most()) {
    problems.Add(path, "needs at_least or at_most");
  }
  if (expect.has_at_least() && expect.has_at_most() &&
      expect.at_least() > expect.at_most()) {
    problems.Add(path + ".at_most", "is below at_least");
  }
}

bool RunsAnywhere(const Scenario& scenario, const std::string& flow) {
  return std::any_of(scenario.arm().begin(), scenario.arm().end(),
                     [&flow](const Arm& arm) { return RunsIn(arm, flow); });
}

}  // namespace

void CheckArms(const Scenario& scenario, Problems& problems) {
  CheckNames(scenario.arm(), "arm", problems);
  for (int i = 0; i < scenario.arm_size(); ++i) {
    ArmCheck(scenario, i, problems).Run();
  }
  for (int i = 0; i < scenario.flow_size(); ++i) {
    if (!RunsAnywhere(scenario, scenario.flow(i).name())) {
      problems.Add(absl::StrCat("flow[", i, "].name"), "runs in no arm");
    }
  }
  CheckArmName(scenario, scenario.unstressed_arm(), "unstressed_arm", problems);
}

void CheckComparisons(const Scenario& scenario, Problems& problems) {
  for (int i = 0; i < scenario.compare_size(); ++i) {
    CheckComparison(scenario, i, problems);
  }
}

void CheckExpectations(const Scenario& scenario, Problems& problems) {
  for (int i = 0; i < scenario.expect_size(); ++i) {
    CheckExpectation(scenario, i, problems);
  }
}

}  // namespace sim
