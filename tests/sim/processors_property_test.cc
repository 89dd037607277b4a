// What holds of processors whatever happens: no wake-up is lost, no time is
// lost, one seed is one run.

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "sim/actor.h"
#include "sim/event_loop.h"
#include "sim/processors.h"
#include "sim/random.h"
#include "tests/sim/scripted_task.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

// Takes work one piece at a time. When it sees none it spends a burst on going
// to sleep, and then sleeps without another look: a wake-up that comes during
// that burst is all it has.
class Sleeper final : public Task {
 public:
  Sleeper(int64_t work, int64_t going_to_sleep)
      : work_(work), going_to_sleep_(going_to_sleep) {}

  std::optional<Nanos> Run(Instant) override {
    if (in_work_) ++done_;
    in_work_ = false;
    if (falling_asleep_) {
      falling_asleep_ = false;
      return std::nullopt;
    }
    if (pieces_ == 0) {
      falling_asleep_ = true;
      return Nanos(going_to_sleep_);
    }
    --pieces_;
    in_work_ = true;
    return Nanos(work_);
  }

  void Give() { ++pieces_; }
  int done() const { return done_; }

 private:
  const int64_t work_;
  const int64_t going_to_sleep_;
  int pieces_ = 0;
  int done_ = 0;
  bool in_work_ = false;
  bool falling_asleep_ = false;
};

struct RaceCase {
  int64_t work;
  int64_t going_to_sleep;
  int64_t latency;
  int64_t neighbour;  // burst of a task on the same processor, 0 for none
  int64_t slice;
};

// Three pieces of work that come at any three instants are all done.
void ExpectNothingLost(const RaceCase& race) {
  constexpr int64_t kLast = 7;
  for (int64_t first = 0; first <= kLast; ++first) {
    for (int64_t second = first; second <= kLast; ++second) {
      for (int64_t third = second; third <= kLast; ++third) {
        EventLoop loop;
        Processors cpus(loop, "cpus", {.time_slice = Nanos(race.slice)});
        Runs runs;
        Agenda agenda(loop);
        Sleeper sleeper(race.work, race.going_to_sleep);
        ScriptedTask neighbour(runs, "neighbour",
                               std::deque<int64_t>(20, race.neighbour));
        for (const int64_t at : {first, second, third}) {
          agenda.Add(at, [&] {
            sleeper.Give();
            cpus.Ready(sleeper, Nanos(race.latency));
          });
        }
        if (race.neighbour > 0) cpus.Ready(neighbour, Nanos(0));

        loop.RunUntil(Instant(1000));

        ASSERT_EQ(sleeper.done(), 3) << first << " " << second << " " << third;
        ASSERT_TRUE(cpus.Check().ok()) << cpus.Check();
      }
    }
  }
}

TEST(ProcessorsPropertyTest, NoWakeupIsLostAtAnyInstantOfAnyPhase) {
  for (const int64_t work : {1, 3}) {
    for (const int64_t going_to_sleep : {0, 2}) {
      for (const int64_t latency : {0, 2}) {
        for (const int64_t neighbour : {0, 2}) {
          for (const int64_t slice : {1, 100}) {
            ExpectNothingLost(
                {work, going_to_sleep, latency, neighbour, slice});
          }
        }
      }
    }
  }
}

// Random bursts, and now and then a block.
class Wanderer final : public Task {
 public:
  explicit Wanderer(Random random) : random_(random) {}

  std::optional<Nanos> Run(Instant) override {
    if (random_.OneIn(4)) return std::nullopt;
    return Nanos(random_.Uniform(0, 20));
  }

 private:
  Random random_;
};

// Wakes tasks and interrupts processors at random instants, and checks the laws
// at each of them.
class Disturber final : public Actor {
 public:
  Disturber(EventLoop& loop, Processors& cpus, Random random)
      : Actor(loop, "disturber"), cpus_(cpus), random_(random) {
    for (int i = 0; i < 12; ++i) {
      const std::string name = "wanderer" + std::to_string(i);
      tasks_.push_back(std::make_unique<Wanderer>(random_.Fork(name)));
      if (i % 3 == 0) tasks_.back()->PinTo(static_cast<uint32_t>(i) % 4);
    }
    WakeAt(Instant(0));
  }

  void OnWake(Instant now) override {
    const auto task = static_cast<size_t>(random_.Uniform(0, 11));
    cpus_.Ready(*tasks_[task], Nanos(random_.Uniform(0, 10)));
    if (random_.OneIn(3)) {
      // Two statements: arguments are drawn in an order of the compiler's own.
      const auto cpu = static_cast<uint32_t>(random_.Uniform(0, 3));
      cpus_.Interrupt(cpu, Nanos(random_.Uniform(0, 15)));
    }
    ASSERT_TRUE(cpus_.Check().ok()) << cpus_.Check();
    WakeAt(now + Nanos(random_.Uniform(0, 12)));
  }

  Nanos bursts() const {
    Nanos sum(0);
    for (const auto& task : tasks_) sum = sum + task->use().busy;
    return sum;
  }

 private:
  Processors& cpus_;
  Random random_;
  std::vector<std::unique_ptr<Wanderer>> tasks_;
};

struct Wandering {
  explicit Wandering(uint64_t seed)
      : cpus(loop, "cpus",
             {.count = 4,
              .time_slice = Nanos(30),
              .context_switch = Nanos(2),
              .order = Random(seed).Fork("run-queue order")}),
        disturber(loop, cpus, Random(seed).Fork("disturber")) {
    loop.RunUntil(Instant(20'000));
  }

  EventLoop loop;
  Processors cpus;
  Disturber disturber;
};

TEST(ProcessorsPropertyTest, LawsHoldAtEveryInstant) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Wandering run(seed);

    Nanos bursts(0);
    for (uint32_t cpu = 0; cpu < 4; ++cpu) {
      bursts = bursts + run.cpus.processor(cpu).use().bursts;
    }
    EXPECT_EQ(bursts, run.disturber.bursts());
  }
}

TEST(ProcessorsPropertyTest, OneSeedIsOneRun) {
  EXPECT_EQ(Wandering(1).loop.trace_hash(), Wandering(1).loop.trace_hash());
  EXPECT_NE(Wandering(1).loop.trace_hash(), Wandering(2).loop.trace_hash());
}

// Which number this is does not matter; that every compiler and every build
// mode gets it does.
TEST(ProcessorsPropertyTest, OneSeedIsOneRunWithEveryCompiler) {
  EXPECT_EQ(Wandering(1).loop.trace_hash(), 7410453108811466256u);
}

}  // namespace
}  // namespace sim
