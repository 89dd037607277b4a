// Stream credit: what a send takes, what a packet brings, and whether a read
// leaves the peer to be told.

#include <cstdint>

#include "benchmark/benchmark.h"
#include "vsock/credit.h"
#include "vsock/hdr.h"

namespace bench {
namespace {

using vsock::Credit;
using vsock::VsockHdr;

constexpr uint32_t kBufAlloc = 262144;

// A sender that knows of its peer's whole buffer.
Credit OpenCredit() {
  VsockHdr hdr;
  hdr.buf_alloc = kBufAlloc;
  Credit credit(kBufAlloc);
  credit.OnPeer(hdr);
  return credit;
}

void BM_CreditTake(benchmark::State& state) {
  const auto bytes = static_cast<uint32_t>(state.range(0));
  Credit credit = OpenCredit();
  for (auto _ : state) {
    const uint32_t granted = credit.Take(bytes);
    benchmark::DoNotOptimize(granted);
    credit.Return(granted);
    benchmark::DoNotOptimize(credit);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CreditTake)->ArgNames({"bytes"})->Arg(4096)->Arg(65536);

void BM_CreditOnPeer(benchmark::State& state) {
  Credit credit = OpenCredit();
  VsockHdr hdr;
  hdr.buf_alloc = kBufAlloc;
  for (auto _ : state) {
    benchmark::DoNotOptimize(hdr);
    benchmark::DoNotOptimize(credit.OnPeer(hdr));
    benchmark::DoNotOptimize(credit);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CreditOnPeer);

// A packet accepted, read, freed; then the rule, and what it stamps if due. A
// reader that waits for one byte tells the peer whenever it drains the queue;
// `waiting` bytes stay queued, so 1 has the rule weigh what is unannounced.
void BM_CreditUpdateRule(benchmark::State& state) {
  const auto bytes = static_cast<uint32_t>(state.range(0));
  Credit credit = OpenCredit();
  credit.Accept(static_cast<uint32_t>(state.range(1)));
  uint64_t updates = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(credit.Accept(bytes));
    credit.OnRead(bytes);
    credit.OnFreed(bytes);
    if (credit.UpdateDue(/*low_water=*/1)) {
      VsockHdr hdr;
      credit.Stamp(hdr);
      benchmark::DoNotOptimize(hdr);
      ++updates;
    }
    benchmark::DoNotOptimize(credit);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["updates"] = benchmark::Counter(
      static_cast<double>(updates), benchmark::Counter::kAvgIterations);
}
BENCHMARK(BM_CreditUpdateRule)
    ->ArgNames({"bytes", "waiting"})
    ->Args({4096, 0})
    ->Args({4096, 1})
    ->Args({65536, 1});

}  // namespace
}  // namespace bench
