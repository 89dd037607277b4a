#include "sim/run_queue.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/random.h"
#include "tests/sim/scripted_task.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;

RunQueue::Entry At(int64_t since, uint64_t ticket, Task* task = nullptr) {
  return {task, ticket, Instant(since)};
}

TEST(RunQueueTest, GivesBackInTheOrderOfComingAcrossManyWraps) {
  RunQueue queue;
  std::deque<uint64_t> oracle;
  Random random(1);

  for (uint64_t ticket = 0; ticket < 10'000; ++ticket) {
    queue.Push(At(0, ticket));
    oracle.push_back(ticket);
    while (!oracle.empty() && random.Bernoulli(49, 100)) {
      ASSERT_EQ(queue.Pop().ticket, oracle.front());
      oracle.pop_front();
    }
    ASSERT_EQ(queue.size(), oracle.size());
  }

  EXPECT_GT(queue.size(), 8u);  // it has grown
}

TEST(RunQueueTest, EachOrderOfEqualsIsEquallyLikely) {
  std::map<std::vector<Task*>, int> count;
  Runs runs;
  ScriptedTask a(runs, "a", {});
  ScriptedTask b(runs, "b", {});
  ScriptedTask c(runs, "c", {});
  Random random(2);

  for (int i = 0; i < 60'000; ++i) {
    RunQueue queue;
    uint64_t ticket = 0;
    for (Task* task : {&a, &b, &c}) {
      queue.PushAmongEquals(At(5, ticket++, task), random);
    }
    ++count[{queue.Pop().task, queue.Pop().task, queue.Pop().task}];
  }

  EXPECT_EQ(count.size(), 6u);
  for (const auto& [order, n] : count) EXPECT_NEAR(n, 10'000, 456);  // 5 sigma
}

TEST(RunQueueTest, TicketsStayInOrderAmongEquals) {
  RunQueue queue;
  Random random(3);

  for (uint64_t ticket = 0; ticket < 6; ++ticket) {
    queue.PushAmongEquals(At(5, ticket), random);
  }

  for (uint64_t ticket = 0; ticket < 6; ++ticket) {
    EXPECT_EQ(queue.Pop().ticket, ticket);
  }
}

}  // namespace
}  // namespace sim
