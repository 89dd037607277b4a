// fake_run.h: a run without a model: figures that are known beforehand.

#ifndef TESTS_SIM_FAKE_RUN_H_
#define TESTS_SIM_FAKE_RUN_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/experiment.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

// Three arms ("alone", "streams", "datagrams") of one measured flow "lone" and,
// in two of them, a load of the arm's own; a comparison of datagrams against
// streams. Defaults are filled in.
Scenario ThreeArms(uint32_t replicates);

// Each flow delivers 1000 bytes a second, "lone" in arm i (from 0) 1000 - 100
// i; to both, `seed` mod 10 is added. Datagrams lose 5 packets to no_socket.
absl::StatusOr<RunResult> FakeRun(const Scenario& scenario,
                                  const Platform& platform, const Arm& arm,
                                  uint64_t seed, const std::atomic<bool>& stop);

// A result of the experiment with these runs: what RunExperiment gives.
ScenarioResult FakeExperiment(uint32_t replicates);

// The same for known goodputs of "lone" in both arms of the comparison.
ScenarioResult ResultWith(const std::vector<double>& datagrams,
                          const std::vector<double>& streams);

}  // namespace sim

#endif  // TESTS_SIM_FAKE_RUN_H_
