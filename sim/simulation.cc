#include "sim/simulation.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sim/traffic.h"
#include "sim/world.h"

namespace sim {
namespace {

absl::Status CheckPayloads(const Traffic& traffic) {
  for (const FlowBook& book : traffic.books()) {
    if (book.mismatches() == 0) continue;
    return absl::DataLossError(
        absl::StrCat("flow \"", book.flow().name(), "\": ", book.mismatches(),
                     " payloads arrived other than they were sent"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunResult> RunArm(const Scenario& scenario,
                                 const Platform& platform, const Arm& arm,
                                 uint64_t seed, const std::atomic<bool>& stop) {
  absl::StatusOr<std::unique_ptr<World>> world =
      World::Create(scenario, platform, seed);
  if (!world.ok()) return world.status();
  absl::StatusOr<std::unique_ptr<Traffic>> traffic =
      Traffic::Create(**world, arm);
  if (!traffic.ok()) return traffic.status();
  absl::Status status = (*world)->Run(stop);
  if (!status.ok()) return status;
  (*traffic)->Finish();
  status = CheckPayloads(**traffic);
  if (status.ok() && scenario.checks()) status = (*world)->Check();
  if (!status.ok()) return status;

  RunResult result;
  result.set_arm(arm.name());
  result.set_seed(seed);
  for (const FlowBook& book : (*traffic)->books()) {
    *result.add_flow() = book.Result();
  }
  *result.mutable_totals() = (*world)->Result();
  return result;
}

}  // namespace sim
