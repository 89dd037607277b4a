// Guest and host on a thread each: messages a second and bytes a second, with
// the road between the cores measured beside every figure.

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "bench/doorbell.h"
#include "bench/flow_pair.h"
#include "bench/line_transfer.h"
#include "bench/two_threads.h"
#include "benchmark/benchmark.h"
#include "vsock/hdr.h"

namespace bench {
namespace {

using vsock::Type;

constexpr uint64_t kMostMessages = 20'000;
constexpr uint64_t kMostBytes = 64 << 20;

// One iteration is a whole run; only the time both threads ran counts.
void Run(benchmark::State& state, Type type) {
  const auto bytes = static_cast<uint32_t>(state.range(0));
  const TwoThreadsRun run = {
      .flow = {.type = type,
               .to_host = state.range(1) != 0,
               .message_bytes = bytes},
      .messages = std::min(kMostMessages, kMostBytes / bytes),
      .waiting = state.range(2) != 0 ? Waiting::kPoll : Waiting::kSleep};
  TwoThreadsResult sum;
  const double line_nanos = LineTransferNanos();
  for (auto _ : state) {
    const TwoThreadsResult result = RunTwoThreads(run);
    state.SetIterationTime(
        std::chrono::duration<double>(result.elapsed).count());
    sum.bytes += result.bytes;
    sum.dropped += result.dropped;
    sum.sleeps += result.sleeps;
    sum.cpu += result.cpu;
    sum.work += result.work;
  }
  const auto sent = static_cast<double>(state.iterations() * run.messages);
  state.SetItemsProcessed(static_cast<int64_t>(sum.bytes / bytes));
  state.SetBytesProcessed(static_cast<int64_t>(sum.bytes));
  state.counters["line_ns"] = line_nanos;
  state.counters["cpu_ns"] = static_cast<double>(sum.cpu.count()) / sent;
  state.counters["dropped"] = static_cast<double>(sum.dropped) / sent;
  state.counters["bells"] = (sum.work.kicks + sum.work.interrupts) / sent;
  state.counters["sleeps"] = static_cast<double>(sum.sleeps) / sent;
}

void BM_TwoThreadsStream(benchmark::State& state) { Run(state, Type::kStream); }
void BM_TwoThreadsDatagrams(benchmark::State& state) {
  Run(state, Type::kDgram);
}

void Shapes(benchmark::internal::Benchmark* shapes) {
  shapes->ArgNames({"bytes", "to_host", "poll"});
  shapes->ArgsProduct({{64, 256, 1024, 4096, 16384, 65536}, {1, 0}, {0, 1}});
  shapes->UseManualTime();
}
BENCHMARK(BM_TwoThreadsStream)->Apply(Shapes);
BENCHMARK(BM_TwoThreadsDatagrams)->Apply(Shapes);

}  // namespace
}  // namespace bench
