#include "sim/fairness_flags.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sim/arguments.h"
#include "sim/presets.h"
#include "sim/scenario_loader.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

absl::StatusOr<LoadedScenario> Load(const std::vector<std::string>& args) {
  const absl::StatusOr<std::vector<Setting>> settings =
      ReadFairnessSettings(*Arguments::Parse(args, FairnessFlags()));
  if (!settings.ok()) return settings.status();
  return LoadScenario(*ScenarioPath(kFairnessScenario), *settings);
}

Scenario With(const std::vector<std::string>& args) {
  const absl::StatusOr<LoadedScenario> loaded = Load(args);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->scenario : Scenario();
}

std::string ErrorOf(const std::vector<std::string>& args) {
  return std::string(Load(args).status().message());
}

TEST(FairnessFlagsTest, PoolChangesBothPoolsAndNotTheLoneStream) {
  const Scenario scenario = With({"--pool=64"});

  EXPECT_EQ(scenario.flow(0).count(), 1u);
  EXPECT_EQ(scenario.flow(1).count(), 64u);
  EXPECT_EQ(scenario.flow(2).count(), 64u);
}

TEST(FairnessFlagsTest, PayloadAndBufferStayMatched) {
  const Scenario scenario = With({"--payload=512", "--buffer=65536"});

  for (const Flow& flow : scenario.flow()) {
    EXPECT_EQ(flow.message_bytes(), 512u);
    EXPECT_EQ(flow.buffer_bytes(), 65536u);
  }
}

TEST(FairnessFlagsTest, TurnsEveryFlowRound) {
  const Scenario turned = With({"--direction=host-to-guest"});

  for (const Flow& flow : turned.flow()) {
    EXPECT_EQ(flow.from().cid(), 2u);
    EXPECT_EQ(flow.to().cid(), 3u);
  }
  EXPECT_EQ(With({"--direction=guest-to-host"}).flow(0).from().cid(), 3u);
}

TEST(FairnessFlagsTest, ReceiverIsThePoolsOnly) {
  const Scenario slow = With({"--receiver=slow", "--payload=512"});

  EXPECT_EQ(slow.flow(0).receiver().behaviour(), Scenario::Receiver::READS);
  EXPECT_EQ(slow.flow(1).receiver().behaviour(), Scenario::Receiver::SLOW);
  EXPECT_EQ(slow.flow(2).receiver().read_bytes(), 512u);
  EXPECT_EQ(With({"--receiver=absent"}).flow(2).receiver().behaviour(),
            Scenario::Receiver::ABSENT);
}

TEST(FairnessFlagsTest, TakesSeedReplicatesAndDuration) {
  const Scenario scenario = With(
      {"--seed=18446744073709551615", "--replicates=3", "--duration=1.5s"});

  EXPECT_EQ(scenario.seed(), 18446744073709551615u);
  EXPECT_EQ(scenario.replicates(), 3u);
  EXPECT_EQ(scenario.duration_us(), 1500000u);
}

TEST(FairnessFlagsTest, SetHasTheLastWord) {
  EXPECT_EQ(
      With({"--set", "flow.pool_streams.count=5", "--pool=64"}).flow(1).count(),
      5u);
}

TEST(FairnessFlagsTest, ErrorsNameTheFlag) {
  EXPECT_EQ(ErrorOf({"--pool=many"}), "--pool=many: not a lawful value");
  EXPECT_EQ(ErrorOf({"--receiver=fast"}),
            "--receiver=fast: not a lawful value; there are: reads, slow, "
            "absent");
  EXPECT_EQ(ErrorOf({"--direction=up"}),
            "--direction=up: not a lawful value; there are: guest-to-host, "
            "host-to-guest");
  EXPECT_EQ(ErrorOf({"--replicates=0"}),
            "--replicates=0: replicates: 0 is not in 1..10000");
  EXPECT_EQ(ErrorOf({"--pool=0"}),
            "--pool=0: flow[1].count: 0 is not in 1..100000\n"
            "--pool=0: flow[2].count: 0 is not in 1..100000");
  EXPECT_EQ(ErrorOf({"--set", "flow.pol.count=3"}),
            "--set flow.pol.count: no flow \"pol\"; there are: lone, "
            "pool_streams, pool_datagrams");
}

TEST(FairnessFlagsTest, DurationNeedsItsUnit) {
  EXPECT_EQ(ErrorOf({"--duration=300"}),
            "--duration=300: expected a number with its unit, as 300ms");
  EXPECT_EQ(ErrorOf({"--duration=1.5us"}),
            "--duration=1.5us: not a whole number of microseconds above 0");
  EXPECT_EQ(ErrorOf({"--duration=0s"}),
            "--duration=0s: not a whole number of microseconds above 0");
  EXPECT_EQ(ErrorOf({"--duration=-1s"}),
            "--duration=-1s: not a whole number of microseconds above 0");
}

}  // namespace
}  // namespace sim
