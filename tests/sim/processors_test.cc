#include "sim/processors.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/event_loop.h"
#include "sim/random.h"
#include "tests/sim/scripted_task.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

constexpr int64_t kBlock = ScriptedTask::kBlock;

struct CpuContext {
  explicit CpuContext(Processors::Options options = {})
      : cpus(loop, "cpus", std::move(options)) {}

  ScriptedTask Make(const std::string& name, std::deque<int64_t> script) {
    return ScriptedTask(runs, name, std::move(script));
  }
  void Ready(Task& task, int64_t latency = 0) {
    cpus.Ready(task, Nanos(latency));
  }
  void RunUntil(int64_t end) {
    loop.RunUntil(Instant(end));
    EXPECT_TRUE(cpus.Check().ok()) << cpus.Check();
  }
  const ProcessorUse& use(uint32_t cpu = 0) {
    return cpus.processor(cpu).use();
  }

  EventLoop loop;
  Runs runs;
  Processors cpus;
  Agenda agenda{loop};
};

TEST(ProcessorsTest, RunsATaskAtTheEndOfEachBurst) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10, 20});

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"a", 30}}));
  EXPECT_EQ(a.use().busy, Nanos(30));
  EXPECT_EQ(c.cpus.processor(0).Busy(), Nanos(30));
}

// As many as sim/scenario.proto lets a machine have.
TEST(ProcessorsTest, AllOf256ProcessorsRunATaskEachAtOnce) {
  CpuContext c({.count = 256});
  std::deque<ScriptedTask> tasks;
  for (int i = 0; i < 257; ++i) {
    tasks.emplace_back(c.runs, "t", std::deque<int64_t>{10});
  }

  for (ScriptedTask& task : tasks) c.Ready(task);
  c.RunUntil(15);

  EXPECT_EQ(c.use(0).bursts, Nanos(20));  // the one that had to wait
  for (uint32_t i = 1; i < 256; ++i) {
    EXPECT_EQ(c.use(i).bursts, Nanos(10)) << i;
  }
}

TEST(ProcessorsTest, OneBurstIsOneEvent) {
  CpuContext c;
  ScriptedTask a = c.Make("a", std::deque<int64_t>(50, 10));

  c.Ready(a);
  c.RunUntil(1000);

  EXPECT_EQ(c.loop.dispatched(), 51u);  // the first is the wake-up
}

TEST(ProcessorsTest, IdleProcessorTakesTheLatencyToStart) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});

  c.Ready(a, /*latency=*/7);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 7}, {"a", 17}}));
  EXPECT_EQ(c.cpus.processor(0).Busy(), Nanos(10));
}

TEST(ProcessorsTest, ReadyWhileRunningMakesTheNextBlockANoOp) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10, kBlock, 5});
  c.agenda.Add(4, [&] { c.Ready(a, /*latency=*/50); });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"a", 10}, {"a", 15}}));
  EXPECT_EQ(a.use().wakeups, 2u);
  EXPECT_EQ(a.use().wakeups_while_awake, 1u);
}

TEST(ProcessorsTest, ReadyInItsOwnRunMakesTheNextBlockANoOp) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  a.DuringRun([&] {
    if (c.runs.size() == 2) c.Ready(a);
  });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"a", 10}}));
}

TEST(ProcessorsTest, ManyWakeupsWhileRunningAreOne) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  for (const int64_t at : {2, 3, 4}) c.agenda.Add(at, [&] { c.Ready(a); });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"a", 10}}));
}

TEST(ProcessorsTest, ReadyBeforeTheFirstRunNeedsNoMemory) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  c.agenda.Add(3, [&] { c.Ready(a); });

  c.Ready(a, /*latency=*/5);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 5}, {"a", 15}}));
}

TEST(ProcessorsTest, WaitingTasksRunInTheOrderTheyCame) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {10});
  ScriptedTask d = c.Make("d", {10});

  c.Ready(a);
  c.Ready(d, /*latency=*/100);
  c.Ready(b);
  c.RunUntil(200);

  EXPECT_EQ(
      c.runs,
      (Runs{{"a", 0}, {"a", 10}, {"d", 10}, {"d", 20}, {"b", 20}, {"b", 30}}));
  EXPECT_EQ(d.use().waiting, Nanos(10));
  EXPECT_EQ(b.use().waiting, Nanos(20));
}

TEST(ProcessorsTest, SwitchCostsWhenTheTaskIsADifferentOne) {
  CpuContext c({.context_switch = Nanos(3)});
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {10});

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"b", 13}, {"b", 23}}));
  EXPECT_EQ(c.use().switches, 1u);
  EXPECT_EQ(c.use().switching, Nanos(3));
  EXPECT_EQ(c.cpus.processor(0).Busy(), Nanos(23));
}

TEST(ProcessorsTest, SwitchCostsAfterAnIdleTimeTooButNotBackToTheSameTask) {
  CpuContext c({.context_switch = Nanos(3)});
  ScriptedTask a = c.Make("a", {10, kBlock, 10});
  ScriptedTask b = c.Make("b", {10});
  c.agenda.Add(20, [&] { c.Ready(a, /*latency=*/5); });
  c.agenda.Add(50, [&] { c.Ready(b, /*latency=*/5); });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(
      c.runs,
      (Runs{{"a", 0}, {"a", 10}, {"a", 25}, {"a", 35}, {"b", 58}, {"b", 68}}));
}

TEST(ProcessorsTest, TaskYieldsAtTheEndOfABurstWhenItsSliceIsOver) {
  CpuContext c({.time_slice = Nanos(15)});
  ScriptedTask a = c.Make("a", {10, 10, 10, 10});
  ScriptedTask b = c.Make("b", {10});

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(100);

  // At 20 a does the visible part of its second burst and has to wait with the
  // third, which it pays from 30 to 40.
  EXPECT_EQ(c.runs, (Runs{{"a", 0},
                          {"a", 10},
                          {"a", 20},
                          {"b", 20},
                          {"b", 30},
                          {"a", 40},
                          {"a", 50}}));
  EXPECT_EQ(a.use().preemptions, 1u);
  EXPECT_EQ(a.use().waiting, Nanos(10));
}

TEST(ProcessorsTest, TaskKeepsItsProcessorWhenNobodyWaits) {
  CpuContext c({.time_slice = Nanos(1)});
  ScriptedTask a = c.Make("a", {10, 10, 10});

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(a.use().preemptions, 0u);
  EXPECT_EQ(c.loop.dispatched(), 4u);
}

TEST(ProcessorsTest, EqualTasksShareAProcessorInTurns) {
  CpuContext c({.time_slice = Nanos(10)});
  ScriptedTask a = c.Make("a", std::deque<int64_t>(1000, 5));
  ScriptedTask b = c.Make("b", std::deque<int64_t>(1000, 5));

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(3999);

  EXPECT_EQ(a.use().busy, Nanos(2000));
  EXPECT_EQ(b.use().busy, Nanos(2000));
}

TEST(ProcessorsTest, WakeupWhilePreemptedIsNotLost) {
  CpuContext c({.time_slice = Nanos(5)});
  ScriptedTask a = c.Make("a", {10, 10, kBlock, 7});
  ScriptedTask b = c.Make("b", {10});
  c.agenda.Add(15, [&] { c.Ready(a); });  // a waits with a burst to pay

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(100);

  EXPECT_EQ(a.use().busy, Nanos(27));
}

TEST(ProcessorsTest, InterruptExtendsTheBurstItFallsInto) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10, 10});
  c.agenda.Add(4, [&] { c.cpus.Interrupt(0, Nanos(3)); });
  c.agenda.Add(6, [&] { c.cpus.Interrupt(0, Nanos(2)); });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 15}, {"a", 25}}));
  EXPECT_EQ(a.use().busy, Nanos(20));
  EXPECT_EQ(c.use().interrupts, Nanos(5));
  EXPECT_EQ(c.use().interruptions, 2u);
}

TEST(ProcessorsTest, InterruptOccupiesAnIdleProcessor) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  c.agenda.Add(5, [&] { c.cpus.Interrupt(0, Nanos(20)); });
  c.agenda.Add(10, [&] { c.Ready(a, /*latency=*/2); });

  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 25}, {"a", 35}}));
  EXPECT_EQ(c.cpus.processor(0).Busy(), Nanos(30));
}

TEST(ProcessorsTest, InterruptThatIsOverBeforeTheStartDelaysNothing) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  c.agenda.Add(5, [&] { c.cpus.Interrupt(0, Nanos(3)); });

  c.Ready(a, /*latency=*/20);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 20}, {"a", 30}}));
}

TEST(ProcessorsTest, InterruptThatOutlastsTheLatencyDelaysTheStart) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  c.agenda.Add(15, [&] { c.cpus.Interrupt(0, Nanos(8)); });

  c.Ready(a, /*latency=*/20);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 23}, {"a", 33}}));
}

TEST(ProcessorsTest, InterruptExtendsASwitch) {
  CpuContext c({.context_switch = Nanos(6)});
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {10});
  c.agenda.Add(12, [&] { c.cpus.Interrupt(0, Nanos(5)); });

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"b", 21}, {"b", 31}}));
}

TEST(ProcessorsTest, InterruptRaisedByARunningTaskIsPaidBeforeItsNextBurst) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10, 10});
  a.DuringRun([&] {
    if (c.runs.size() == 2) c.cpus.Interrupt(0, Nanos(4));
  });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"a", 24}}));
}

TEST(ProcessorsTest, InterruptRaisedByATaskThatBlocksOccupiesTheProcessor) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {10});
  a.DuringRun([&] {
    if (c.runs.size() == 2) c.cpus.Interrupt(0, Nanos(4));
  });
  c.agenda.Add(11, [&] { c.Ready(b); });

  c.Ready(a);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"b", 14}, {"b", 24}}));
}

TEST(ProcessorsTest, FloatingTasksTakeIdleProcessorsFromTheLowest) {
  CpuContext c({.count = 2});
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {15});
  ScriptedTask d = c.Make("d", {10});

  c.Ready(a);
  c.Ready(b);
  c.Ready(d);
  c.RunUntil(100);

  EXPECT_EQ(
      c.runs,
      (Runs{{"a", 0}, {"b", 0}, {"a", 10}, {"d", 10}, {"b", 15}, {"d", 20}}));
  EXPECT_EQ(c.use(0).bursts, Nanos(20));
  EXPECT_EQ(c.use(1).bursts, Nanos(15));
}

TEST(ProcessorsTest, TaskReturnsToItsLastProcessorWhenThatIsIdle) {
  CpuContext c({.count = 2});
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {10, kBlock, 10});
  c.agenda.Add(50, [&] { c.Ready(b); });

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(100);

  EXPECT_EQ(c.use(1).bursts, Nanos(20));
}

TEST(ProcessorsTest, PinnedTaskWaitsForItsProcessorWhileAnotherIsIdle) {
  CpuContext c({.count = 2});
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask b = c.Make("b", {10});
  a.PinTo(1);
  b.PinTo(1);

  c.Ready(a);
  c.Ready(b);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0}, {"a", 10}, {"b", 10}, {"b", 20}}));
  EXPECT_EQ(c.use(0).bursts, Nanos(0));
}

TEST(ProcessorsTest, PinnedAndFloatingTasksAreServedInTheOrderTheyCame) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  ScriptedTask pinned = c.Make("pinned", {10});
  ScriptedTask floating = c.Make("floating", {10});
  ScriptedTask last = c.Make("last", {10});
  pinned.PinTo(0);
  last.PinTo(0);

  c.Ready(a);
  c.Ready(pinned);
  c.Ready(floating);
  c.Ready(last);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"a", 0},
                          {"a", 10},
                          {"pinned", 10},
                          {"pinned", 20},
                          {"floating", 20},
                          {"floating", 30},
                          {"last", 30},
                          {"last", 40}}));
}

TEST(ProcessorsTest, FloatingTaskMovesOutOfAPinnedTasksWay) {
  CpuContext c({.count = 2, .time_slice = Nanos(5)});
  ScriptedTask floating = c.Make("floating", {10, 10});
  ScriptedTask pinned = c.Make("pinned", {10});
  pinned.PinTo(0);

  c.Ready(floating);
  c.Ready(pinned);
  c.RunUntil(100);

  EXPECT_EQ(c.runs, (Runs{{"floating", 0},
                          {"floating", 10},
                          {"pinned", 10},
                          {"pinned", 20},
                          {"floating", 20}}));
  EXPECT_EQ(c.use(1).bursts, Nanos(10));
}

// The order in which five tasks run that came at the same instant.
std::string OrderOfEquals(std::optional<Random> order) {
  CpuContext c({.order = std::move(order)});
  std::vector<std::unique_ptr<ScriptedTask>> tasks;
  ScriptedTask first = c.Make("", {10});
  c.Ready(first);
  for (const char* name : {"a", "b", "d", "e", "f"}) {
    tasks.push_back(std::make_unique<ScriptedTask>(
        c.runs, name, std::deque<int64_t>{kBlock}));
    c.Ready(*tasks.back());
  }
  c.RunUntil(100);
  std::string names;
  for (const Ran& ran : c.runs) names += ran.name;
  return names;
}

TEST(ProcessorsTest, EqualsRunInTheOrderOfReadyWithoutAStream) {
  EXPECT_EQ(OrderOfEquals(std::nullopt), "abdef");
}

TEST(ProcessorsTest, EqualsRunInAnyOrderWithAStreamAndTheSameForASeed) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string order = OrderOfEquals(Random(seed));
    EXPECT_EQ(order, OrderOfEquals(Random(seed)));
    orders.insert(order);
  }

  EXPECT_EQ(orders.size(), 120u);  // 5!
}

TEST(ProcessorsTest, StreamNeverPutsALaterTaskBeforeAnEarlierOne) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CpuContext c({.order = Random(seed)});
    ScriptedTask a = c.Make("a", {10});
    ScriptedTask b = c.Make("b", {10});
    ScriptedTask d = c.Make("d", {10});
    c.agenda.Add(1, [&] { c.Ready(b); });
    c.agenda.Add(2, [&] { c.Ready(d); });

    c.Ready(a);
    c.RunUntil(100);

    EXPECT_EQ(c.runs[2], (Ran{"b", 10}));
  }
}

TEST(ProcessorsTest, StreamPicksAmongIdleProcessors) {
  std::set<uint32_t> picked;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CpuContext c({.count = 4, .order = Random(seed)});
    ScriptedTask pinned = c.Make("pinned", {10});
    ScriptedTask a = c.Make("a", {10});
    pinned.PinTo(0);  // where a would go
    c.Ready(pinned);
    c.Ready(a);
    c.RunUntil(100);
    for (uint32_t cpu = 1; cpu < 4; ++cpu) {
      if (c.use(cpu).bursts == Nanos(10)) picked.insert(cpu);
    }
  }

  EXPECT_EQ(picked, (std::set<uint32_t>{1, 2, 3}));
}

TEST(ProcessorsDeathTest, ATaskPinnedOutsideTheSetIsOurBug) {
  CpuContext c;
  ScriptedTask a = c.Make("a", {10});
  a.PinTo(1);

  EXPECT_DEATH(c.Ready(a), "check failed");
}

}  // namespace
}  // namespace sim
