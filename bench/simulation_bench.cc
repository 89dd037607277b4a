// Simulated messages in a second of one processor: chains through real rings,
// both directions, whatever carried them, all of a run's set-up included.

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "sim/platform.pb.h"
#include "sim/presets.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

using sim::LoadedScenario;
using sim::Setting;

// The default of //sim:fairness, with so many senders in either pool.
LoadedScenario Fairness(int64_t senders, std::vector<Setting> settings = {}) {
  for (const char* pool : {"pool_streams", "pool_datagrams"}) {
    settings.push_back({absl::StrCat("flow.", pool, ".count=", senders), pool});
  }
  return *sim::LoadScenario(*sim::ScenarioPath("fairness_default"), settings);
}

// Messages of one arm, run once.
uint64_t RunArm(const LoadedScenario& loaded, const sim::Arm& arm) {
  const std::atomic<bool> stop = false;
  const absl::StatusOr<sim::RunResult> result =
      sim::RunArm(loaded.scenario, loaded.platform, arm, /*seed=*/1, stop);
  VSOCK_CHECK(result.ok());
  return result->totals().ring_messages();
}

// Every sender sends as fast as its socket takes it; one replicate of all arms.
// The default lasts 300 ms. Ten thousand senders spend that on filling their
// buffers, with far more messages than can go through the ring meanwhile; ten
// times as long shows the rate after that.
void BM_SimulatedFairness(benchmark::State& state) {
  const LoadedScenario loaded = Fairness(
      state.range(0),
      {{absl::StrCat("duration_us=", state.range(1) * 1000), "duration"}});
  uint64_t messages = 0;
  for (auto _ : state) {
    for (const sim::Arm& arm : loaded.scenario.arm()) {
      messages += RunArm(loaded, arm);
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(messages));
}
BENCHMARK(BM_SimulatedFairness)
    ->ArgNames({"pool", "duration_ms"})
    ->Args({16, 300})
    ->Args({10, 300})
    ->Args({100, 300})
    ->Args({1000, 300})
    ->Args({10000, 300})
    ->Args({10, 3000})
    ->Args({10000, 3000})
    ->Unit(benchmark::kMillisecond);

// One message in 6.25 us from all senders together, about four fifths of what
// the device's worker can do, beside one stream that takes what is left.
void BM_SimulatedPacedDatagrams(benchmark::State& state) {
  const int64_t flows = state.range(0);
  const LoadedScenario loaded = Fairness(
      flows,
      {{absl::StrCat("flow.pool_datagrams.paced.interval_us=", flows * 25 / 4),
        "paced"},
       {"duration_us=1000000", "duration"}});
  const sim::Arm& datagrams = loaded.scenario.arm(2);
  uint64_t messages = 0;
  for (auto _ : state) messages += RunArm(loaded, datagrams);
  state.SetItemsProcessed(static_cast<int64_t>(messages));
}
BENCHMARK(BM_SimulatedPacedDatagrams)
    ->ArgNames({"flows"})
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench
