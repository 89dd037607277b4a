// Simulated AF_UNIX in a second of one processor: bytes of replies of an NBD
// client, by the size of its server's send buffer, a run's set-up included.

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "benchmark/benchmark.h"
#include "sim/presets.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_loader.h"
#include "sim/simulation.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

// The buffer decides how many socket buffers and sleeps a reply takes.
void BM_SimulatedNbdRead(benchmark::State& state) {
  const sim::LoadedScenario loaded =
      *sim::LoadScenario(*sim::ScenarioPath("nbd_read"), {});
  const sim::Arm& arm = loaded.scenario.arm(static_cast<int>(state.range(0)));
  const std::atomic<bool> stop = false;
  uint64_t bytes = 0;
  for (auto _ : state) {
    const absl::StatusOr<sim::RunResult> result =
        sim::RunArm(loaded.scenario, loaded.platform, arm, /*seed=*/1, stop);
    VSOCK_CHECK(result.ok());
    bytes += result->flow(0).reply_bytes_delivered();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.SetLabel(arm.title());
}
BENCHMARK(BM_SimulatedNbdRead)
    ->ArgNames({"arm"})
    ->Arg(0)
    ->Arg(3)
    ->Arg(6)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench
