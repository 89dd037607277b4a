#include "sim/scenario_checks.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/arm_checks.h"
#include "sim/flow_checks.h"
#include "sim/name_checks.h"
#include "sim/near_names.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_ranges.h"
#include "sim/text_message.h"

namespace sim {
namespace {

void CheckHead(const Scenario& scenario, Problems& problems) {
  CheckName(scenario.name(), "name", /*earlier=*/{}, problems);
  if (scenario.question().empty()) {
    problems.Add("question", "missing: what does this scenario ask?");
  }
}

// virtio 1.3, 2.7: "Queue Size is always a power of 2". A packed ring has any.
void CheckRing(const Scenario::Ring& ring, Problems& problems) {
  if (ring.format() == Scenario::Ring::SPLIT &&
      (ring.size() & (ring.size() - 1)) != 0) {
    problems.Add("guest.ring.size",
                 absl::StrCat(ring.size(), " is not a power of two"));
  }
}

void CheckKernel(const Scenario::Kernel& kernel, absl::string_view path,
                 Problems& problems) {
  if (kernel.stream_buffer_min_bytes() > kernel.stream_buffer_max_bytes()) {
    problems.Add(absl::StrCat(path, ".stream_buffer_min_bytes"),
                 "is above stream_buffer_max_bytes");
  }
}

void CheckProposal(const Scenario::Proposal& proposal, Problems& problems) {
  if (proposal.has_charge()) return;  // known, or spelt out
  problems.Add(
      "proposal.name",
      absl::StrCat("no proposal \"", proposal.name(), "\"",
                   NearNames(proposal.name(), {"linux-2023", "linux-2026"})));
}

void CheckCosts(const Scenario& scenario, Problems& problems) {
  for (int i = 0; i < scenario.cost_size(); ++i) {
    const std::string path = absl::StrCat("cost[", i, "]");
    const Scenario::CostOverride& cost = scenario.cost(i);
    if (cost.name().empty()) problems.Add(path + ".name", "missing");
    if (cost.choice_case() == Scenario::CostOverride::CHOICE_NOT_SET) {
      problems.Add(path, "needs at or value");
    }
  }
}

}  // namespace

absl::Status CheckScenario(const Scenario& scenario, const TextSource& source) {
  Problems problems(source, *Scenario::descriptor());
  CheckRanges(scenario, problems);
  if (!problems.none()) return problems.ToStatus();
  CheckHead(scenario, problems);
  CheckRing(scenario.guest().ring(), problems);
  CheckKernel(scenario.guest().kernel(), "guest.kernel", problems);
  CheckKernel(scenario.host().kernel(), "host.kernel", problems);
  CheckProposal(scenario.proposal(), problems);
  CheckCosts(scenario, problems);
  CheckFlows(scenario, problems);
  CheckArms(scenario, problems);
  CheckComparisons(scenario, problems);
  CheckExpectations(scenario, problems);
  return problems.ToStatus();
}

}  // namespace sim
