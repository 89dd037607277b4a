// simulation.h: one arm of a scenario, run once.

#ifndef SIM_SIMULATION_H_
#define SIM_SIMULATION_H_

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

// A pure function of its arguments but for `stop`, which another thread may set
// to end the run early: Cancelled. `scenario` and `platform` come from
// LoadScenario. Other errors: FailedPrecondition if a law or a property was
// breached, DataLoss if a real payload arrived other than it was sent; what the
// sockets refuse when the flows are set up.
absl::StatusOr<RunResult> RunArm(const Scenario& scenario,
                                 const Platform& platform, const Arm& arm,
                                 uint64_t seed, const std::atomic<bool>& stop);

}  // namespace sim

#endif  // SIM_SIMULATION_H_
