#include "sim/experiment.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "sim/aggregate.h"
#include "sim/platform.pb.h"
#include "sim/random.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/threads.h"

namespace sim {
namespace {

// Hands out runs to threads and keeps what they bring back. A thread that sees
// `ended_` starts no further run.
class Pool {
 public:
  Pool(const Scenario& scenario, const Platform& platform,
       const RunFunction& run, const ExperimentOptions& options,
       const std::atomic<bool>& stop)
      : scenario_(scenario),
        platform_(platform),
        run_(run),
        options_(options),
        stop_(stop),
        slots_(scenario.replicates() *
               static_cast<size_t>(scenario.arm_size())) {}

  void Work() {
    for (;;) {
      const size_t index = next_.fetch_add(1);
      if (index >= slots_.size() || stop_ || failed_) return;
      Keep(index, RunOne(index));
    }
  }

  absl::Status status() const { return status_; }

  std::vector<absl::optional<RunResult>> Take() && { return std::move(slots_); }

 private:
  const Arm& ArmOf(size_t index) const {
    const size_t arms = static_cast<size_t>(scenario_.arm_size());
    return scenario_.arm(static_cast<int>(index % arms));
  }

  uint32_t ReplicateOf(size_t index) const {
    return static_cast<uint32_t>(index /
                                 static_cast<size_t>(scenario_.arm_size()));
  }

  uint64_t SeedOf(size_t index) const {
    return ReplicateSeed(scenario_.seed(), ReplicateOf(index));
  }

  absl::StatusOr<RunResult> RunOne(size_t index) const {
    absl::StatusOr<RunResult> result =
        run_(scenario_, platform_, ArmOf(index), SeedOf(index), stop_);
    if (!result.ok()) return result;
    result->set_arm(ArmOf(index).name());
    result->set_replicate(ReplicateOf(index));
    result->set_seed(SeedOf(index));
    return result;
  }

  void Keep(size_t index, absl::StatusOr<RunResult> result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (result.ok()) {
      slots_[index] = *std::move(result);
      options_.progress(++done_, static_cast<uint32_t>(slots_.size()));
    } else if (!absl::IsCancelled(result.status())) {
      Fail(index, result.status());
    }
  }

  // Of several errors the one of the earliest run is kept.
  void Fail(size_t index, const absl::Status& status) {
    failed_ = true;
    if (index >= failed_at_) return;
    failed_at_ = index;
    status_ = absl::Status(
        status.code(),
        absl::StrCat("arm \"", ArmOf(index).name(), "\", replicate ",
                     ReplicateOf(index), " (seed ", SeedOf(index),
                     "): ", status.message()));
  }

  const Scenario& scenario_;
  const Platform& platform_;
  const RunFunction& run_;
  const ExperimentOptions& options_;
  const std::atomic<bool>& stop_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;  // guards what follows
  std::vector<absl::optional<RunResult>> slots_;
  uint32_t done_ = 0;
  size_t failed_at_ = SIZE_MAX;
  absl::Status status_;
};

ScenarioResult Assemble(const Scenario& scenario, const Platform& platform,
                        std::vector<absl::optional<RunResult>> runs) {
  ScenarioResult result;
  result.set_seed(scenario.seed());
  *result.mutable_scenario() = scenario;
  *result.mutable_platform() = platform;
  bool complete = true;
  for (absl::optional<RunResult>& run : runs) {
    complete = complete && run.has_value();
    if (run.has_value()) *result.add_run() = *std::move(run);
  }
  result.set_complete(complete);
  Aggregate(result);
  return result;
}

}  // namespace

uint64_t ReplicateSeed(uint64_t seed, uint32_t replicate) {
  return Random(seed).Fork(absl::StrCat("replicate ", replicate)).Next();
}

absl::StatusOr<ScenarioResult> RunExperiment(const Scenario& scenario,
                                             const Platform& platform,
                                             const RunFunction& run,
                                             const ExperimentOptions& options,
                                             const std::atomic<bool>& stop) {
  Pool pool(scenario, platform, run, options, stop);
  WorkOnThreads(options.jobs, [&pool] { pool.Work(); });
  if (!pool.status().ok()) return pool.status();
  return Assemble(scenario, platform, std::move(pool).Take());
}

}  // namespace sim
