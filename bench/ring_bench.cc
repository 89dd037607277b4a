// The split ring: each of its four steps alone, all of them in turn, on a
// packed ring too, and both halves on threads of their own, beside plain rings.

#include <cstdint>
#include <vector>

#include "bench/line_transfer.h"
#include "bench/plain_ring.h"
#include "bench/polled_ring.h"
#include "bench/queue_ring.h"
#include "bench/ring_pair.h"
#include "bench/spread.h"
#include "benchmark/benchmark.h"
#include "virtqueue/ring_format.h"

namespace bench {
namespace {

using virtqueue::RingFormat;

constexpr uint32_t kExchanged = 200'000;
constexpr uint16_t kPolled = 256;

// Steps are timed alone by filling a ring of this size; what goes on between
// two fillings is not timed.
constexpr uint16_t kFilled = 4096;

RingPair::Shape FilledShape(const benchmark::State& state) {
  return {.ring_size = kFilled,
          .descriptors = static_cast<uint16_t>(state.range(0)),
          .indirect = state.range(1) != 0};
}

// One descriptor takes no table, so that is never indirect.
void EachKindOfChain(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"descriptors", "indirect"});
  bench->Args({1, 0});
  bench->ArgsProduct({{2, 4, 17}, {0, 1}});
}

void EachKindOfChainAndBatch(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"descriptors", "indirect", "batch"});
  bench->ArgsProduct({{1}, {0}, {1, 32}});
  bench->ArgsProduct({{2, 4, 17}, {0, 1}, {1, 32}});
}

// `batch` chains are published at a time.
void BM_DriverQueueAdd(benchmark::State& state) {
  RingPair ring(FilledShape(state));
  const auto batch = static_cast<uint32_t>(state.range(2));
  const uint32_t chains = ring.capacity() / batch * batch;
  while (state.KeepRunningBatch(chains)) {
    for (uint32_t done = 0; done < chains; done += batch) {
      ring.Add(batch);
      ring.PublishAdded();
    }
    state.PauseTiming();
    ring.PopAndPush(chains);
    ring.PublishUsed();
    ring.Collect(chains);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DriverQueueAdd)->Apply(EachKindOfChainAndBatch);

void BM_DeviceQueuePop(benchmark::State& state) {
  RingPair ring(FilledShape(state));
  const uint32_t chains = ring.capacity();
  while (state.KeepRunningBatch(chains)) {
    state.PauseTiming();
    ring.Add(chains);
    ring.PublishAdded();
    state.ResumeTiming();
    ring.Pop(chains);
    state.PauseTiming();
    ring.Push(chains);
    ring.PublishUsed();
    ring.Collect(chains);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DeviceQueuePop)->Apply(EachKindOfChain);

// `batch` chains are published at a time.
void BM_DeviceQueuePush(benchmark::State& state) {
  RingPair ring(FilledShape(state));
  const auto batch = static_cast<uint32_t>(state.range(2));
  const uint32_t chains = ring.capacity() / batch * batch;
  while (state.KeepRunningBatch(chains)) {
    state.PauseTiming();
    ring.Add(chains);
    ring.PublishAdded();
    ring.Pop(chains);
    state.ResumeTiming();
    for (uint32_t done = 0; done < chains; done += batch) {
      ring.Push(batch);
      ring.PublishUsed();
    }
    state.PauseTiming();
    ring.Collect(chains);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DeviceQueuePush)
    ->ArgNames({"descriptors", "indirect", "batch"})
    ->ArgsProduct({{1}, {0}, {1, 32}});

void BM_DriverQueueCollect(benchmark::State& state) {
  RingPair ring(FilledShape(state));
  const uint32_t chains = ring.capacity();
  while (state.KeepRunningBatch(chains)) {
    state.PauseTiming();
    ring.Add(chains);
    ring.PublishAdded();
    ring.PopAndPush(chains);
    ring.PublishUsed();
    state.ResumeTiming();
    ring.Collect(chains);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DriverQueueCollect)->Apply(EachKindOfChain);

// Add, pop, push, collect of `batch` chains while `depth` are under way, the
// rest of them with the device.
void BM_RingRound(benchmark::State& state) {
  const auto batch = static_cast<uint32_t>(state.range(2));
  const auto depth = static_cast<uint32_t>(state.range(3));
  RingPair ring(
      {.format = state.range(5) != 0 ? RingFormat::kPacked : RingFormat::kSplit,
       .ring_size = 1024,
       .descriptors = static_cast<uint16_t>(state.range(0)),
       .indirect = state.range(1) != 0,
       .event_idx = state.range(4) != 0});
  ring.Add(depth - batch);
  while (state.KeepRunningBatch(batch)) ring.Round(batch);
  const auto chains = static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations());
  state.counters["kicks_per_chain"] =
      static_cast<double>(ring.kicks()) / chains;
}
BENCHMARK(BM_RingRound)
    ->ArgNames({"descriptors", "indirect", "batch", "depth", "event_idx",
                "packed"})
    ->ArgsProduct({{1}, {0}, {1}, {1, 32, 256}, {0, 1}, {0, 1}})
    ->ArgsProduct({{1}, {0}, {32}, {32, 256}, {0, 1}, {0, 1}})
    ->ArgsProduct({{2, 4, 17}, {0, 1}, {1, 32}, {32}, {0, 1}, {0, 1}});

// Driver and device on two processors, both polling; the driver keeps `depth`
// chains under way. In turn with it two plain split rings under the same load:
// `of_plain` is the time of ours by that of the one that publishes each chain,
// `of_plain_fenced` by that of the lawful one, medians over the turns. Beside
// them, what it takes to hand over a cache line.
void BM_RingPolledByTwoThreads(benchmark::State& state) {
  const auto depth = static_cast<uint32_t>(state.range(0));
  const auto batch = static_cast<uint32_t>(state.range(1));
  PolledRing<PlainRing<Publishing::kEachChain>> plain(
      {.depth = depth, .batch = batch});
  PolledRing<PlainRing<Publishing::kBatchFenced>> plain_fenced(
      {.depth = depth, .batch = batch});
  PolledRing<QueueRing> ours(
      {.depth = depth, .batch = batch},
      state.range(2) != 0 ? RingFormat::kPacked : RingFormat::kSplit, kPolled);
  std::vector<double> of_plain, of_plain_fenced, nanos;
  for (auto _ : state) {
    const double plain_nanos = plain.Exchange(kExchanged);
    const double plain_fenced_nanos = plain_fenced.Exchange(kExchanged);
    nanos.push_back(ours.Exchange(kExchanged));
    of_plain.push_back(nanos.back() / plain_nanos);
    of_plain_fenced.push_back(nanos.back() / plain_fenced_nanos);
  }
  state.counters["of_plain"] = Median(of_plain);
  state.counters["of_plain_fenced"] = Median(of_plain_fenced);
  state.counters["ns"] = Median(nanos);
  state.counters["line_transfer_ns"] = LineTransferNanos();
}
BENCHMARK(BM_RingPolledByTwoThreads)
    ->ArgNames({"depth", "batch", "packed"})
    ->ArgsProduct({{1}, {1}, {0, 1}})
    ->ArgsProduct({{32}, {1, 32}, {0, 1}})
    ->ArgsProduct({{256}, {1, 4, 16, 64}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(15)
    ->UseRealTime();

}  // namespace
}  // namespace bench
