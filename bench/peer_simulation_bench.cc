// Simulated datagrams in a second of one processor: eight senders, by what
// carries them. The ratio to the first row is what a peer's model costs.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

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

// The last arm of the preset "vmci": a stream, and a pool over `transport`.
sim::LoadedScenario Pool(const std::string& transport) {
  std::vector<sim::Setting> settings = {
      {"flow.pool_vmci.transport=" + transport, transport},
      {"duration_us=20000", "duration"}};
  if (transport == "VSOCK_LOOPBACK") {
    settings.push_back({"flow.pool_vmci.to.cid=3", "the guest's own"});
  }
  return *sim::LoadScenario(*sim::ScenarioPath("vmci"), settings);
}

void BM_SimulatedDatagrams(benchmark::State& state,
                           const std::string& transport) {
  const sim::LoadedScenario loaded = Pool(transport);
  uint64_t datagrams = 0;
  for (auto _ : state) {
    const std::atomic<bool> stop = false;
    const absl::StatusOr<sim::RunResult> result =
        sim::RunArm(loaded.scenario, loaded.platform, loaded.scenario.arm(2),
                    /*seed=*/1, stop);
    VSOCK_CHECK(result.ok());
    datagrams += result->flow(1).messages_sent();
  }
  state.SetItemsProcessed(static_cast<int64_t>(datagrams));
}
BENCHMARK_CAPTURE(BM_SimulatedDatagrams, vsock, "VSOCK")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_SimulatedDatagrams, vsock_loopback, "VSOCK_LOOPBACK")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_SimulatedDatagrams, vmci, "VMCI")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench
