// Events and bursts allocate nothing once a run has reached its size.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

#include "gtest/gtest.h"
#include "sim/actor.h"
#include "sim/event_loop.h"
#include "sim/processors.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace {

uint64_t g_allocations = 0;

}  // namespace

void* operator new(size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

class Metronome final : public Actor {
 public:
  explicit Metronome(EventLoop& loop) : Actor(loop, "metronome") {
    WakeAt(Instant(0));
  }
  void OnWake(Instant now) override { WakeAt(now + Nanos(10)); }
};

// Wakes the other one, works, and sleeps.
class PingPong final : public Task {
 public:
  PingPong(Processors& cpus, int64_t length) : cpus_(cpus), length_(length) {}
  void Connect(PingPong& other) { other_ = &other; }

  std::optional<Nanos> Run(Instant) override {
    working_ = !working_;
    if (working_) return Nanos(length_);
    cpus_.Ready(*other_, Nanos(5));
    return std::nullopt;
  }

 private:
  Processors& cpus_;
  const int64_t length_;
  PingPong* other_ = nullptr;
  bool working_ = false;
};

TEST(AllocationTest, AnEventAllocatesNothing) {
  EventLoop loop;
  Metronome first(loop);
  Metronome second(loop);
  loop.RunUntil(Instant(100));

  const uint64_t before = g_allocations;
  loop.RunUntil(Instant(100'000));
  const uint64_t after = g_allocations;

  EXPECT_EQ(after - before, 0u);
  EXPECT_GT(before, 0u);  // the counter counts
}

TEST(AllocationTest, WakingBlockingAndQueueingAllocateNothing) {
  EventLoop loop;
  Processors cpus(loop, "cpus", {.context_switch = Nanos(1)});
  PingPong a(cpus, 10);
  PingPong b(cpus, 20);
  PingPong c(cpus, 30);
  PingPong d(cpus, 40);
  a.Connect(b);
  b.Connect(a);
  c.Connect(d);
  d.Connect(c);
  cpus.Ready(a, Nanos(0));
  cpus.Ready(c, Nanos(0));
  loop.RunUntil(Instant(1000));

  const uint64_t before = g_allocations;
  loop.RunUntil(Instant(1'000'000));
  const uint64_t after = g_allocations;

  EXPECT_EQ(after - before, 0u);
  EXPECT_GT(cpus.processor(0).use().switches, 10'000u);
}

}  // namespace
}  // namespace sim
