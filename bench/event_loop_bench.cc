// The event loop against a bare std::priority_queue of 24-byte wake-ups, both
// in the hold model: take the next wake-up, ask for another one a random time
// later. The event loop also finds the actor and calls it; the queue does not.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "benchmark/benchmark.h"
#include "sim/actor.h"
#include "sim/event_loop.h"
#include "sim/generator.h"
#include "vsock/units.h"

namespace bench {
namespace {

using sim::Actor;
using sim::EventLoop;
using vsock::Instant;
using vsock::Nanos;

constexpr int64_t kEventsPerIteration = 1000;
constexpr int64_t kGap = 1 << 10;  // about what lies between two wake-ups

// Uniform below a power of two, in proportion to the number pending.
class Delay {
 public:
  explicit Delay(int64_t pending)
      : mask_(std::bit_ceil(static_cast<uint64_t>(2 * kGap * pending)) - 1) {}

  int64_t Next() { return static_cast<int64_t>(generator_.Next() & mask_); }

 private:
  const uint64_t mask_;
  sim::Xoshiro256StarStar generator_{uint64_t{1}};
};

class Holder final : public Actor {
 public:
  Holder(EventLoop& loop, Delay& delay) : Actor(loop, ""), delay_(delay) {
    WakeAt(Instant(delay_.Next()));
  }
  void OnWake(Instant now) override { WakeAt(now + Nanos(delay_.Next())); }

 private:
  Delay& delay_;
};

void BM_EventLoopHold(benchmark::State& state) {
  EventLoop loop;
  Delay delay(state.range(0));
  std::deque<Holder> holders;
  for (int64_t i = 0; i < state.range(0); ++i) {
    holders.emplace_back(loop, delay);
  }
  const uint64_t before = loop.dispatched();
  for (auto _ : state) {
    loop.RunUntil(loop.now() + Nanos(kGap * kEventsPerIteration));
  }
  state.SetItemsProcessed(static_cast<int64_t>(loop.dispatched() - before));
}

struct Wake {
  int64_t at;
  uint64_t request;
  size_t actor;
  bool operator>(const Wake& other) const {
    return at != other.at ? at > other.at : request > other.request;
  }
};

void BM_PriorityQueueHold(benchmark::State& state) {
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes;
  Delay delay(state.range(0));
  uint64_t requests = 0;
  for (int64_t i = 0; i < state.range(0); ++i) {
    wakes.push({delay.Next(), requests++, static_cast<size_t>(i)});
  }
  for (auto _ : state) {
    for (int64_t i = 0; i < kEventsPerIteration; ++i) {
      const Wake next = wakes.top();
      wakes.pop();
      wakes.push({next.at + delay.Next(), requests++, next.actor});
    }
  }
  state.SetItemsProcessed(state.iterations() * kEventsPerIteration);
}

// The bar is set at 1k and 100k pending; a fairness run has some tens. The
// largest takes seconds to set up, so its iterations are given.
void Sizes(benchmark::internal::Benchmark* hold) {
  hold->ArgNames({"pending"});
  for (const int64_t pending : {1, 16, 64, 1'000, 100'000}) hold->Arg(pending);
}
BENCHMARK(BM_EventLoopHold)->Apply(Sizes);
BENCHMARK(BM_PriorityQueueHold)->Apply(Sizes);

constexpr int64_t kHuge = 10'000'000;
BENCHMARK(BM_EventLoopHold)
    ->ArgNames({"pending"})
    ->Arg(kHuge)
    ->Iterations(1'000);
BENCHMARK(BM_PriorityQueueHold)
    ->ArgNames({"pending"})
    ->Arg(kHuge)
    ->Iterations(1'000);

}  // namespace
}  // namespace bench
