// A datagram sender's buffer: the test before the charge, the charge by either
// proposal's rule, and its return.

#include <cstddef>
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "virtqueue/check.h"
#include "vsock/policy/proposal.h"
#include "vsock/send_buffer.h"

namespace bench {
namespace {

constexpr uint32_t kSendBuffer = 212992;  // net.core.wmem_default

void BM_SendBufferChargeAndRelease(benchmark::State& state) {
  auto payload = static_cast<uint32_t>(state.range(0));
  const vsock::SendCharge rule =
      vsock::AllProposals()[static_cast<size_t>(state.range(1))].send_charge;
  vsock::SendBuffer buffer(kSendBuffer);
  for (auto _ : state) {
    benchmark::DoNotOptimize(payload);
    VSOCK_CHECK(buffer.HasRoom());
    const uint32_t charge = vsock::ChargeFor(rule, payload);
    buffer.Charge(charge);
    benchmark::DoNotOptimize(buffer);
    buffer.Release(charge);
    benchmark::DoNotOptimize(buffer.WakesWriter());
  }
  state.SetLabel(std::string(vsock::AllProposals()[state.range(1)].name));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_SendBufferChargeAndRelease)
    ->ArgNames({"bytes", "proposal"})
    ->ArgsProduct({{64, 4096, 65536}, {0, 1}});

}  // namespace
}  // namespace bench
