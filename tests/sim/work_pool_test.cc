// Tries sim/work_pool.h: when the work is done, what waking costs, and what the
// program of a connection does meanwhile. Every source of chance is off; of
// sim/platforms/linux_kvm.textproto, a thread runs 2000 ns after it was made
// runnable, and making it so costs 450 (system call) + 1000 (wake-up).

#include "sim/work_pool.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "sim/flow_book.h"
#include "sim/machines.h"
#include "sim/program.h"
#include "sim/scenario_loader.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;
using Kind = Operation::Kind;

constexpr int64_t kLatency = 2000;
constexpr int64_t kWaking = 450 + 1000;
constexpr int64_t kWork = 100000;

constexpr char kScenario[] =
    "name: \"t\" question: \"?\" host { cpus: 8 }\n"
    "randomness { start_offset { enabled: false } "
    "  run_queue_order { enabled: false } wakeup_latency { enabled: false } "
    "  cost_jitter { enabled: false } interference { enabled: false } }\n"
    "warmup_us: 0 duration_us: 20000 cooldown_us: 0\n"
    "flow { name: \"f\" type: STREAM transport: UNIX from { cid: 2 }\n"
    "       to { cid: 2 port: 10 } request_response { reply_bytes: 1000\n"
    "       work_ps_per_byte: 1000 in_flight: 2 } }\n";

class Sleeper final : public Task {
 public:
  std::optional<Nanos> Run(Instant now) override {
    ran_at = now;
    return std::nullopt;
  }
  Instant ran_at{0};
};

class PoolContext {
 public:
  explicit PoolContext(uint32_t threads)
      : pool(machines, {.name = "p",
                        .side = Side::kHost,
                        .threads = threads,
                        .book = &book}) {}

  // Returns what that cost.
  int64_t HandOver(int replies = 1) {
    Nanos sum(0);
    for (int i = 0; i < replies; ++i) {
      sum = sum + account.HandOver(Nanos(kWork), chance);
    }
    return sum.value();
  }
  // How many are left then.
  uint32_t LeftAt(int64_t ns) {
    machines.loop().RunUntil(Instant(ns));
    return account.outstanding();
  }

  LoadedScenario loaded = *LoadText(kScenario, {});
  Machines machines{loaded.scenario, loaded.platform, /*seed=*/1};
  FlowBook book{loaded.scenario.flow(0), machines.window()};
  Chance chance = machines.ChanceOf("test");
  WorkPool pool;
  WorkPool::Account account{pool};
};

TEST(WorkPoolTest, NRepliesOverKThreadsTakeTheWorkCeilingOfNOverKTimes) {
  for (const int k : {1, 2, 3, 8}) {
    for (const int n : {1, 2, 7, 16}) {
      PoolContext c(static_cast<uint32_t>(k));
      const int64_t rounds = (n + k - 1) / k;

      c.HandOver(n);

      EXPECT_GT(c.LeftAt(kLatency + rounds * kWork - 1), 0u) << k << " " << n;
      EXPECT_EQ(c.LeftAt(kLatency + rounds * kWork), 0u) << k << " " << n;
    }
  }
}

TEST(WorkPoolTest, ProcessorsAreBusyForTheWorkHandedOver) {
  PoolContext c(/*threads=*/3);

  c.HandOver(7);
  c.LeftAt(10 * kWork);

  EXPECT_EQ(c.machines.Busy(Side::kHost), Nanos(7 * kWork));
  EXPECT_EQ(c.book.Result().sender_work_us(), 7 * kWork / 1000);
  EXPECT_EQ(c.book.Result().sender_processor_us(), 7 * kWork / 1000);
  EXPECT_TRUE(c.machines.Check().ok()) << c.machines.Check();
}

TEST(WorkPoolTest, HandingOverCostsAWakeUpWhileAWorkerSleeps) {
  PoolContext c(/*threads=*/2);

  EXPECT_EQ(c.HandOver(), kWaking);
  EXPECT_EQ(c.HandOver(), kWaking);
  EXPECT_EQ(c.HandOver(), 0);
  c.LeftAt(10 * kWork);
  EXPECT_EQ(c.HandOver(), kWaking);
}

TEST(WorkPoolTest, WorkerWakesAndPaysForTheConnectionThatSleepsForIt) {
  PoolContext c(/*threads=*/1);
  Sleeper connection;

  c.HandOver();
  c.account.Sleep(connection, c.chance);
  c.LeftAt(10 * kWork);

  EXPECT_EQ(connection.ran_at, Instant(kLatency + kWork + kLatency));
  EXPECT_EQ(c.machines.Busy(Side::kHost), Nanos(kWork + kWaking));
  EXPECT_EQ(c.book.Result().sender_work_us(), kWork / 1000);
}

TEST(WorkPoolTest, AccountsShareTheThreadsInTheOrderOfHandingOver) {
  PoolContext c(/*threads=*/1);
  WorkPool::Account other(c.pool);

  other.HandOver(Nanos(kWork), c.chance);
  c.HandOver();

  EXPECT_EQ(c.LeftAt(kLatency + kWork), 1u);
  EXPECT_EQ(other.outstanding(), 0u);
  EXPECT_EQ(c.LeftAt(kLatency + 2 * kWork), 0u);
}

TEST(WorkPoolTest, RequestKeepsItsPlaceUntilItsReplyWasWorkedOn) {
  PoolContext c(/*threads=*/1);
  const std::unique_ptr<Program> client =
      SenderProgram(c.loaded.scenario.flow(0), c.book, &c.account);
  const auto next = [&client] { return client->Next(Instant(0)).kind; };

  EXPECT_EQ(next(), Kind::kSend);
  EXPECT_EQ(next(), Kind::kSend);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(next(), Kind::kReceive);
    EXPECT_EQ(next(), Kind::kDelegate);
    c.HandOver();
  }
  EXPECT_EQ(next(), Kind::kAwaitWork);
  EXPECT_EQ(c.LeftAt(kLatency + kWork), 1u);
  EXPECT_EQ(next(), Kind::kSend);
}

}  // namespace
}  // namespace sim
