#include "sim/presets.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "sim/scenario_loader.h"
#include "sim/text_message.h"

namespace sim {
namespace {

std::vector<Preset> Presets() { return *ListPresets(); }

LoadedScenario Load(const std::string& name) {
  const absl::StatusOr<LoadedScenario> loaded =
      LoadScenario(*ScenarioPath(name), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? *loaded : LoadedScenario();
}

TEST(PresetsTest, ListsEachByNameWithItsQuestion) {
  const std::vector<Preset> presets = Presets();

  ASSERT_GE(presets.size(), 8u);
  EXPECT_EQ(presets[2].name, "fairness_default");
  EXPECT_EQ(presets[2].question,
            "Does a pool of datagram sockets slow a lone stream more than a "
            "pool of streams?");
}

TEST(PresetsTest, AllLoadUnderTheirOwnNames) {
  for (const Preset& preset : Presets()) {
    EXPECT_EQ(Load(preset.name).scenario.name(), preset.name);
  }
}

TEST(PresetsTest, AllOpenWithAComment) {
  for (const Preset& preset : Presets()) {
    const std::string text = *ReadFile(*ScenarioPath(preset.name));
    EXPECT_TRUE(absl::StartsWith(text, "# ")) << preset.name;
  }
}

// The mail: matched for payload, buffer and number of senders.
TEST(PresetsTest, FairnessMatchesThePools) {
  const Scenario scenario = Load("fairness_default").scenario;

  const Scenario::Flow& streams = scenario.flow(1);
  const Scenario::Flow& datagrams = scenario.flow(2);
  EXPECT_EQ(scenario.guest().vcpus(), 16u);
  EXPECT_EQ(streams.message_bytes(), 4096u);
  EXPECT_EQ(datagrams.message_bytes(), streams.message_bytes());
  EXPECT_EQ(datagrams.buffer_bytes(), streams.buffer_bytes());
  EXPECT_EQ(datagrams.count(), streams.count());
  EXPECT_EQ(scenario.replicates(), 9u);
}

// The recording: 4 MiB in packets of 64 KiB, from the end that connected.
TEST(PresetsTest, ReplayCarriesTheRecordedMessages) {
  const Scenario scenario = Load("replay").scenario;

  const Scenario::Replay& replay = scenario.flow(0).replay();
  ASSERT_EQ(replay.message_size(), 64);
  EXPECT_EQ(replay.message(0).bytes(), 65536u);
  EXPECT_FALSE(replay.message(0).reply());
}

TEST(PresetsTest, ReplayOfTheEchoHasReplies) {
  const Scenario scenario = Load("replay_echo").scenario;

  ASSERT_EQ(scenario.flow(0).replay().message_size(), 40);
  EXPECT_TRUE(scenario.flow(0).replay().message(1).reply());
}

TEST(PresetsTest, OffersNearNamesForAnUnknownPreset) {
  EXPECT_EQ(ScenarioPath("noisy_neighbor").status().message(),
            "no preset \"noisy_neighbor\"; did you mean noisy_neighbour?");
}

TEST(PresetsTest, TakesAPathFromTheUsersOwnFolder) {
  setenv("BUILD_WORKING_DIRECTORY", "/home/user", /*overwrite=*/1);

  EXPECT_EQ(*ScenarioPath("mine.textproto"), "/home/user/mine.textproto");
  EXPECT_EQ(*ScenarioPath("a/b"), "/home/user/a/b");
  EXPECT_EQ(*ScenarioPath("/abs/c.textproto"), "/abs/c.textproto");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(*ScenarioPath("mine.textproto"), "mine.textproto");
}

}  // namespace
}  // namespace sim
