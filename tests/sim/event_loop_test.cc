#include "sim/event_loop.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/actor.h"
#include "sim/random.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

using Log = std::vector<std::pair<std::string, int64_t>>;

// Writes down when it was woken, then does what it was told to do then.
class Probe final : public Actor {
 public:
  Probe(EventLoop& loop, Log& log, std::string name)
      : Actor(loop, std::move(name)), log_(log) {}

  void OnWake(Instant now) override {
    log_.emplace_back(name(), now.value());
    const auto then = then_;  // which may destroy the probe
    if (then) then();
  }

  void Then(std::function<void()> then) { then_ = std::move(then); }
  using Actor::Cancel;
  using Actor::pending;
  void At(int64_t at) { WakeAt(Instant(at)); }

 private:
  Log& log_;
  std::function<void()> then_;
};

struct LoopContext {
  Probe Make(const std::string& name) { return Probe(loop, log, name); }

  EventLoop loop;
  Log log;
};

TEST(EventLoopTest, WakesInOrderOfTime) {
  LoopContext c;
  Probe a = c.Make("a");
  Probe b = c.Make("b");
  Probe d = c.Make("d");

  a.At(30);
  b.At(10);
  d.At(20);
  c.loop.RunUntil(Instant(100));

  EXPECT_EQ(c.log, (Log{{"b", 10}, {"d", 20}, {"a", 30}}));
}

TEST(EventLoopTest, EqualTimesRunInTheOrderOfTheRequests) {
  LoopContext c;
  Probe a = c.Make("a");
  Probe b = c.Make("b");
  Probe d = c.Make("d");

  d.At(10);
  a.At(10);
  b.At(10);
  c.loop.RunUntil(Instant(10));

  EXPECT_EQ(c.log, (Log{{"d", 10}, {"a", 10}, {"b", 10}}));
}

TEST(EventLoopTest, AskingAgainTakesThePlaceOfThePendingWakeup) {
  LoopContext c;
  Probe a = c.Make("a");
  Probe b = c.Make("b");

  a.At(10);
  b.At(20);
  a.At(20);  // a new request: behind b now
  c.loop.RunUntil(Instant(100));

  EXPECT_EQ(c.log, (Log{{"b", 20}, {"a", 20}}));
}

TEST(EventLoopTest, CancelledWakeupDoesNotCome) {
  LoopContext c;
  Probe a = c.Make("a");
  a.At(10);

  a.Cancel();
  c.loop.RunUntil(Instant(100));

  EXPECT_TRUE(c.log.empty());
  EXPECT_FALSE(a.pending());
  EXPECT_EQ(c.loop.dispatched(), 0u);
}

TEST(EventLoopTest, WakeupIsNoLongerPendingWhenItComes) {
  LoopContext c;
  Probe a = c.Make("a");
  bool before = false;
  bool after = true;
  a.Then([&] {
    after = a.pending();
    if (c.log.size() < 3) a.At(c.loop.now().value() + 5);
  });

  a.At(10);
  before = a.pending();
  c.loop.RunUntil(Instant(100));

  EXPECT_TRUE(before);
  EXPECT_FALSE(after);
  EXPECT_EQ(c.log, (Log{{"a", 10}, {"a", 15}, {"a", 20}}));
}

TEST(EventLoopTest, ActorMayCancelAndMoveOthersInItsTurn) {
  LoopContext c;
  Probe a = c.Make("a");
  Probe b = c.Make("b");
  Probe d = c.Make("d");
  b.At(11);
  d.At(12);
  a.Then([&] {
    b.Cancel();
    d.At(10);
  });

  a.At(10);
  c.loop.RunUntil(Instant(100));

  EXPECT_EQ(c.log, (Log{{"a", 10}, {"d", 10}}));
}

TEST(EventLoopTest, RunUntilIncludesItsEndAndStaysThere) {
  LoopContext c;
  Probe a = c.Make("a");
  Probe b = c.Make("b");
  a.At(50);
  b.At(51);

  c.loop.RunUntil(Instant(50));

  EXPECT_EQ(c.log, (Log{{"a", 50}}));
  EXPECT_EQ(c.loop.now(), Instant(50));
  EXPECT_TRUE(b.pending());
}

TEST(EventLoopTest, TimeGoesToTheEndWhenNothingIsLeft) {
  LoopContext c;

  c.loop.RunUntil(Instant(50));

  EXPECT_EQ(c.loop.now(), Instant(50));
}

TEST(EventLoopTest, StopReturnsBehindTheActorThatCalledItAndTheRunCanGoOn) {
  LoopContext c;
  Probe a = c.Make("a");
  Probe b = c.Make("b");
  a.Then([&] { c.loop.Stop(); });
  a.At(10);
  b.At(10);

  c.loop.RunUntil(Instant(100));
  EXPECT_EQ(c.log, (Log{{"a", 10}}));
  EXPECT_EQ(c.loop.now(), Instant(10));

  c.loop.RunUntil(Instant(100));
  EXPECT_EQ(c.log, (Log{{"a", 10}, {"b", 10}}));
  EXPECT_EQ(c.loop.now(), Instant(100));
}

TEST(EventLoopTest, CountsWhatItDispatched) {
  LoopContext c;
  Probe a = c.Make("a");
  a.Then([&] { a.At(c.loop.now().value() + 1); });

  a.At(1);
  c.loop.RunUntil(Instant(1000));

  EXPECT_EQ(c.loop.dispatched(), 1000u);
}

TEST(EventLoopDeathTest, AWakeupInThePastIsOurBug) {
  LoopContext c;
  Probe a = c.Make("a");
  c.loop.RunUntil(Instant(50));

  EXPECT_DEATH(a.At(49), "check failed: at >= now_");
}

TEST(EventLoopTest, ActorThatIsGoneIsNotWoken) {
  LoopContext c;
  Probe b = c.Make("b");
  {
    Probe a = c.Make("a");
    a.At(10);
    b.At(20);
  }

  c.loop.RunUntil(Instant(100));

  EXPECT_EQ(c.log, (Log{{"b", 20}}));
}

TEST(EventLoopTest, ActorMayGoInItsOwnTurn) {
  LoopContext c;
  auto a = std::make_unique<Probe>(c.loop, c.log, "a");
  Probe b = c.Make("b");
  a->Then([&] {
    b.At(10);
    a.reset();
  });

  a->At(10);
  c.loop.RunUntil(Instant(100));

  EXPECT_EQ(c.log, (Log{{"a", 10}, {"b", 10}}));
}

TEST(EventLoopTest, NewActorMayTakeThePlaceOfOneThatWentInItsTurn) {
  LoopContext c;
  auto a = std::make_unique<Probe>(c.loop, c.log, "a");
  std::unique_ptr<Probe> heir;
  a->Then([&] {
    a.reset();
    heir = std::make_unique<Probe>(c.loop, c.log, "heir");
    heir->At(12);
  });

  a->At(10);
  c.loop.RunUntil(Instant(100));

  EXPECT_EQ(c.log, (Log{{"a", 10}, {"heir", 12}}));
}

TEST(EventLoopTest, ActorsMayBeMadeInATurn) {
  LoopContext c;
  std::vector<std::unique_ptr<Probe>> made;
  Probe a = c.Make("a");
  a.Then([&] {
    made.push_back(std::make_unique<Probe>(c.loop, c.log, "child"));
    made.back()->At(c.loop.now().value() + 1);
    if (made.size() < 40) a.At(c.loop.now().value() + 1);
  });

  a.At(1);
  c.loop.RunUntil(Instant(1000));

  EXPECT_EQ(c.log.size(), 80u);
  for (size_t i = 1; i < c.log.size(); ++i) {
    EXPECT_LE(c.log[i - 1].second, c.log[i].second);
  }
}

// The oracle: all wake-ups in a list, of which the least (time, request) comes
// next.
TEST(EventLoopTest, AgreesWithAListThatIsSearchedEachTime) {
  LoopContext c;
  Random random(1);
  std::vector<std::unique_ptr<Probe>> probes;
  std::vector<std::tuple<int64_t, int, std::string>> wakes;
  int request = 0;
  for (int i = 0; i < 50; ++i) {
    probes.push_back(
        std::make_unique<Probe>(c.loop, c.log, "p" + std::to_string(i)));
    const int64_t at = random.Uniform(0, 20);
    probes.back()->At(at);
    wakes.emplace_back(at, request++, probes.back()->name());
  }
  std::sort(wakes.begin(), wakes.end());

  c.loop.RunUntil(Instant(20));

  ASSERT_EQ(c.log.size(), wakes.size());
  for (size_t i = 0; i < wakes.size(); ++i) {
    EXPECT_EQ(c.log[i].first, std::get<2>(wakes[i]));
    EXPECT_EQ(c.log[i].second, std::get<0>(wakes[i]));
  }
}

// Wakes itself at random instants, and others now and then.
uint64_t TraceHashOfSeed(uint64_t seed) {
  LoopContext c;
  Random random(seed);
  std::vector<std::unique_ptr<Probe>> probes;
  for (int i = 0; i < 20; ++i) {
    probes.push_back(std::make_unique<Probe>(c.loop, c.log, "p"));
    probes.back()->Then([&, i] {
      const auto other = static_cast<size_t>(random.Uniform(0, 19));
      probes[other]->At(c.loop.now().value() + random.Uniform(0, 9));
      probes[static_cast<size_t>(i)]->At(c.loop.now().value() + 5);
    });
    probes.back()->At(random.Uniform(0, 9));
  }
  c.loop.RunUntil(Instant(1000));
  return c.loop.trace_hash();
}

TEST(EventLoopTest, SameSeedHasTheSameTraceHash) {
  EXPECT_EQ(TraceHashOfSeed(1), TraceHashOfSeed(1));
}

TEST(EventLoopTest, DifferentSeedsHaveDifferentTraceHashes) {
  EXPECT_NE(TraceHashOfSeed(1), TraceHashOfSeed(2));
}

TEST(EventLoopTest, TraceHashTellsWhoFromWhoElse) {
  LoopContext first;
  Probe a = first.Make("a");
  Probe b = first.Make("b");
  a.At(5);
  first.loop.RunUntil(Instant(10));
  LoopContext second;
  Probe d = second.Make("d");
  Probe e = second.Make("e");
  e.At(5);
  second.loop.RunUntil(Instant(10));

  EXPECT_NE(first.loop.trace_hash(), second.loop.trace_hash());
  EXPECT_FALSE(b.pending() || d.pending());
}

}  // namespace
}  // namespace sim
