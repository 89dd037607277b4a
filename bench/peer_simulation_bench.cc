// Simulated messages in a second of one processor: a stream over virtio-vsock
// and eight datagram senders, by what carries the datagrams.

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

void BM_SimulatedPool(benchmark::State& state, const std::string& transport) {
  const sim::LoadedScenario loaded = Pool(transport);
  uint64_t messages = 0;
  for (auto _ : state) {
    const std::atomic<bool> stop = false;
    const absl::StatusOr<sim::RunResult> result =
        sim::RunArm(loaded.scenario, loaded.platform, loaded.scenario.arm(2),
                    /*seed=*/1, stop);
    VSOCK_CHECK(result.ok());
    for (const sim::FlowResult& flow : result->flow()) {
      messages += flow.messages_sent();
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(messages));
}
BENCHMARK_CAPTURE(BM_SimulatedPool, vsock, "VSOCK")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_SimulatedPool, vsock_loopback, "VSOCK_LOOPBACK")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_SimulatedPool, vmci, "VMCI")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench
