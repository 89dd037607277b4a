// experiment.h: every arm, every replicate, on as many threads as there are.
//
// Each run is single-threaded and independent, so the result is the same for
// any number of jobs. Replicate i has the same seed in every arm: what chance
// does to one arm it does to all, and their difference shows.

#ifndef SIM_EXPERIMENT_H_
#define SIM_EXPERIMENT_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

// Runs one arm once: a function of its arguments, unless `stop` becomes true;
// then it ends soon with a Cancelled status. Called from several threads.
using RunFunction = std::function<absl::StatusOr<RunResult>(
    const Scenario& scenario, const Platform& platform, const Arm& arm,
    uint64_t seed, const std::atomic<bool>& stop)>;

struct ExperimentOptions {
  uint32_t jobs = 1;
  // Called after each run, by one thread at a time.
  std::function<void(uint32_t done, uint32_t all)> progress = [](uint32_t,
                                                                 uint32_t) {};
};

// The seed of replicate `replicate` of an experiment.
uint64_t ReplicateSeed(uint64_t seed, uint32_t replicate);

// `scenario` has its defaults filled in. Runs are in the order of replicates,
// then of arms; aggregates are filled in. When `stop` becomes true the result
// holds what was finished and is not `complete`. An error of a run ends the
// experiment; it names arm, replicate and seed.
absl::StatusOr<ScenarioResult> RunExperiment(const Scenario& scenario,
                                             const Platform& platform,
                                             const RunFunction& run,
                                             const ExperimentOptions& options,
                                             const std::atomic<bool>& stop);

}  // namespace sim

#endif  // SIM_EXPERIMENT_H_
