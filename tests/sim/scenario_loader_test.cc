#include "sim/scenario_loader.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "sim/scenario.pb.h"
#include "tests/sim/capture_bytes.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

using google::protobuf::util::MessageDifferencer;

// kLawful has three lines, so what a test adds begins on line 4.
std::string With(absl::string_view more) { return absl::StrCat(kLawful, more); }

Scenario Load(absl::string_view text, const std::vector<std::string>& sets) {
  const absl::StatusOr<LoadedScenario> loaded = LoadText(text, sets);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->scenario : Scenario();
}

TEST(ScenarioLoaderTest, LoadsALawfulScenario) {
  EXPECT_EQ(LoadError(kLawful), "");
}

TEST(ScenarioLoaderTest, PlacesASyntaxError) {
  EXPECT_EQ(LoadError(With("guest { cid: }\n")),
            "s.textproto:4:14: Expected integer, got: }");
}

TEST(ScenarioLoaderTest, PlacesAnUnknownFieldAndOffersNearNames) {
  EXPECT_EQ(LoadError(With("guest {\n  ring { siz: 128 }\n}\n")),
            "s.textproto:5:10: Message type \"sim.Scenario.Ring\" has no "
            "field named \"siz\"; did you mean size?");
}

TEST(ScenarioLoaderTest, PlacesAWrongUnitAndOffersTheRightOne) {
  EXPECT_EQ(LoadError(With("duration_ms: 200\n")),
            "s.textproto:4:1: Message type \"sim.Scenario\" has no field "
            "named \"duration_ms\"; did you mean duration_us?");
  EXPECT_EQ(LoadError(With("duration_us: \"200ms\"\n")),
            "s.textproto:4:14: Expected integer, got: \"200ms\"");
  EXPECT_EQ(LoadError(With("duration_us: 0.2\n")),
            "s.textproto:4:14: Expected integer, got: 0.2");
}

TEST(ScenarioLoaderTest, PlacesAnUnknownEnumerator) {
  EXPECT_EQ(LoadError(With("guest { ring { format: SPLITTED } }\n")),
            "s.textproto:4:24: Unknown enumeration value of \"SPLITTED\" for "
            "field \"format\"");
}

TEST(ScenarioLoaderTest, PlacesANumberOutOfRange) {
  EXPECT_EQ(LoadError(With("guest { cid: 3\n        vcpus: 0 }\n")),
            "s.textproto:5:9: guest.vcpus: 0 is not in 1..256");
  EXPECT_EQ(LoadError(With("duration_us: 0\n")),
            "s.textproto:4:1: duration_us: 0 is not in 1..600000000");
}

TEST(ScenarioLoaderTest, NamesTheFlagThatSetAnImpossibleValue) {
  EXPECT_EQ(LoadError(kLawful, {"guest.ring.size=100"}),
            "--set guest.ring.size=100: guest.ring.size: 100 is not a power "
            "of two");
  EXPECT_EQ(LoadError(kLawful, {"flow.lone.count=0"}),
            "--set flow.lone.count=0: flow[0].count: 0 is not in 1..100000");
}

TEST(ScenarioLoaderTest, ReportsEveryProblemOnItsOwnLine) {
  const std::string error =
      LoadError(With("host { cpus: 0 }\nseed: 1\n"
                     "guest { vcpus: 999 }\n"));

  EXPECT_EQ(error,
            "s.textproto:6:9: guest.vcpus: 999 is not in 1..256\n"
            "s.textproto:4:8: host.cpus: 0 is not in 1..256");
}

TEST(ScenarioLoaderTest, MissesAFlow) {
  EXPECT_EQ(LoadError("name: \"x\" question: \"?\"\n"
                      "arm { name: \"a\" flow: \"lone\" }\n"),
            "s.textproto:1:1: flow: at least one is needed\n"
            "s.textproto:2:17: arm[0].flow[0]: no flow \"lone\"");
  EXPECT_EQ(LoadError(With("arm { name: \"a\" flow: [\"lone\", \"pol\"] }\n"
                           "flow { name: \"pool\" type: STREAM from { cid: 3 }"
                           " to { cid: 2 port: 11 } }\n")),
            "s.textproto:4:17: arm[0].flow[1]: no flow \"pol\"; did you mean "
            "pool?\n"
            "s.textproto:5:8: flow[1].name: runs in no arm");
}

TEST(ScenarioLoaderTest, MissesTheName) {
  EXPECT_TRUE(absl::StrContains(
      LoadError("question: \"?\" flow { type: STREAM from { cid: 3 }"
                " to { cid: 2 port: 1 } }"),
      "s.textproto:1:1: name: missing"));
}

TEST(ScenarioLoaderTest, NamesAFileThatCannotBeRead) {
  const auto loaded = LoadScenario("/nonexistent.textproto", {});

  EXPECT_EQ(loaded.status().message(),
            "/nonexistent.textproto: cannot be read");
}

TEST(ScenarioLoaderTest, NamesAnUnknownPlatformAtItsPlace) {
  EXPECT_TRUE(absl::StartsWith(LoadError(With("platform: \"vax\"\n")),
                               "s.textproto:4:1: platform: "));
}

TEST(ScenarioLoaderTest, PutsAScenariosOwnCostInPlaceOfTheMode) {
  const auto loaded = LoadText(With("cost { name: \"kick\" at: HIGH }\n"
                                    "cost { name: \"syscall\" value: 123 }\n"),
                               {});

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->platform.kick().mode(), loaded->platform.kick().high());
  EXPECT_EQ(loaded->platform.syscall().mode(), 123u);
}

TEST(ScenarioLoaderTest, OffersNearNamesForAnUnknownCost) {
  EXPECT_EQ(LoadError(With("cost { name: \"kik\" value: 1 }\n")),
            "s.textproto:4:8: cost[0].name: no cost \"kik\"; did you mean "
            "kick?");
}

TEST(ScenarioLoaderTest, PlacesACaptureThatCannotBeRead) {
  EXPECT_TRUE(absl::StartsWith(
      LoadError("name: \"t\" question: \"?\"\n"
                "flow { name: \"r\" type: STREAM from { cid: 3 }\n"
                "  to { cid: 2 port: 1 } replay { capture: \"none.pcap\" } }"),
      "s.textproto:3:34: flow[0].replay.capture: none.pcap: not a capture"));
}

// A flag is typed by a user who stands somewhere, a file lies somewhere.
TEST(ScenarioLoaderTest, TakesACaptureGivenByAFlagFromTheUsersFolder) {
  WriteFile("one.pcap", CaptureHead() + CaptureRecord({.len = 7}));
  setenv("BUILD_WORKING_DIRECTORY", testing::TempDir().c_str(), 1);

  const Scenario scenario =
      Load(kLawful, {"flow.lone.replay.capture=one.pcap"});

  unsetenv("BUILD_WORKING_DIRECTORY");
  ASSERT_EQ(scenario.flow(0).replay().message_size(), 1);
  EXPECT_EQ(scenario.flow(0).replay().message(0).bytes(), 7u);
}

TEST(ScenarioLoaderTest, LoadsItsOwnExpandedFormUnchanged) {
  const Scenario once = Load(kLawful, {});

  const Scenario twice = Load(once.DebugString(), {});

  EXPECT_TRUE(MessageDifferencer::Equals(once, twice));
}

}  // namespace
}  // namespace sim
