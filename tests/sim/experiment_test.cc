#include "sim/experiment.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sim/platform.pb.h"
#include "sim/report_json.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

const std::atomic<bool> never{false};

absl::StatusOr<ScenarioResult> Experiment(
    uint32_t replicates, uint32_t jobs, const RunFunction& run,
    const std::atomic<bool>& stop = never) {
  ExperimentOptions options;
  options.jobs = jobs;
  return RunExperiment(ThreeArms(replicates), Platform(), run, options, stop);
}

TEST(ExperimentTest, RunsEveryArmInEveryReplicate) {
  const ScenarioResult result =
      *Experiment(/*replicates=*/3, /*jobs=*/1, FakeRun);

  ASSERT_EQ(result.run_size(), 9);
  EXPECT_TRUE(result.complete());
  EXPECT_EQ(result.run(0).arm(), "alone");
  EXPECT_EQ(result.run(2).arm(), "datagrams");
  EXPECT_EQ(result.run(5).replicate(), 1u);
}

TEST(ExperimentTest, GivesAllArmsOfAReplicateTheSameSeed) {
  const ScenarioResult result =
      *Experiment(/*replicates=*/2, /*jobs=*/1, FakeRun);

  EXPECT_EQ(result.run(0).seed(), result.run(1).seed());
  EXPECT_EQ(result.run(0).seed(), result.run(2).seed());
  EXPECT_NE(result.run(0).seed(), result.run(3).seed());
}

TEST(ExperimentTest, SeedsOfNeighbouringExperimentsDoNotMeet) {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint32_t i = 0; i < 20; ++i) seeds.insert(ReplicateSeed(seed, i));
  }

  EXPECT_EQ(seeds.size(), 400u);
}

TEST(ExperimentTest, MoreReplicatesKeepTheFirstOnes) {
  const ScenarioResult few = *Experiment(/*replicates=*/2, /*jobs=*/1, FakeRun);
  const ScenarioResult many =
      *Experiment(/*replicates=*/5, /*jobs=*/1, FakeRun);

  EXPECT_EQ(few.run(5).SerializeAsString(), many.run(5).SerializeAsString());
}

TEST(ExperimentTest, SameBytesForAnyNumberOfJobs) {
  const std::string one = ReportJson(*Experiment(20, /*jobs=*/1, FakeRun));

  EXPECT_EQ(ReportJson(*Experiment(20, /*jobs=*/2, FakeRun)), one);
  EXPECT_EQ(ReportJson(*Experiment(20, /*jobs=*/13, FakeRun)), one);
}

TEST(ExperimentTest, ReportsProgressOnceForEachRun) {
  std::vector<uint32_t> seen;
  ExperimentOptions options;
  options.jobs = 4;
  options.progress = [&seen](uint32_t done, uint32_t all) {
    EXPECT_EQ(all, 30u);
    seen.push_back(done);
  };

  ASSERT_TRUE(
      RunExperiment(ThreeArms(10), Platform(), FakeRun, options, never).ok());

  ASSERT_EQ(seen.size(), 30u);
  for (uint32_t i = 0; i < 30; ++i) EXPECT_EQ(seen[i], i + 1);
}

// The fourth run asks to stop; it is the last, and what was finished is there.
TEST(ExperimentTest, KeepsWhatWasFinishedWhenItIsStopped) {
  std::atomic<bool> stop{false};
  int runs = 0;
  const RunFunction run =
      [&](const Scenario& scenario, const Platform& platform, const Arm& arm,
          uint64_t seed,
          const std::atomic<bool>& flag) -> absl::StatusOr<RunResult> {
    if (++runs < 4) return FakeRun(scenario, platform, arm, seed, flag);
    stop = true;
    return absl::CancelledError("stopped");
  };

  const ScenarioResult result =
      *Experiment(/*replicates=*/3, /*jobs=*/1, run, stop);

  EXPECT_EQ(runs, 4);
  EXPECT_EQ(result.run_size(), 3);
  EXPECT_FALSE(result.complete());
  EXPECT_EQ(result.comparison(0).n(), 1u);
}

TEST(ExperimentTest, NamesArmReplicateAndSeedOfARunThatFails) {
  const RunFunction run =
      [](const Scenario& scenario, const Platform& platform, const Arm& arm,
         uint64_t seed,
         const std::atomic<bool>& stop) -> absl::StatusOr<RunResult> {
    if (arm.name() == "streams" && seed == ReplicateSeed(1, 1)) {
      return absl::FailedPreconditionError("Little's law is broken");
    }
    return FakeRun(scenario, platform, arm, seed, stop);
  };

  const absl::StatusOr<ScenarioResult> result =
      Experiment(/*replicates=*/3, /*jobs=*/3, run);

  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(result.status().message(),
            absl::StrCat("arm \"streams\", replicate 1 (seed ",
                         ReplicateSeed(1, 1), "): Little's law is broken"));
}

}  // namespace
}  // namespace sim
