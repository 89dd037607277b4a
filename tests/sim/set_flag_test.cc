#include "sim/set_flag.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

Scenario TwoFlows() {
  Scenario scenario;
  google::protobuf::TextFormat::ParseFromString(
      R"(flow { name: "lone" } flow { name: "pool" count: 16 bulk {} }
         arm { name: "both" flow: ["lone", "pool"] })",
      &scenario);
  return scenario;
}

struct Set {
  explicit Set(absl::string_view assignment)
      : scenario(TwoFlows()), path(ApplySet(assignment, scenario)) {}

  std::string error() const { return std::string(path.status().message()); }

  Scenario scenario;
  absl::StatusOr<std::string> path;
};

TEST(SetFlagTest, SetsAFieldOfANestedMessage) {
  const Set set("guest.ring.size=256");

  EXPECT_EQ(set.scenario.guest().ring().size(), 256u);
  EXPECT_EQ(*set.path, "guest.ring.size");
}

TEST(SetFlagTest, NamesAnElementByNameNumberOrInBrackets) {
  EXPECT_EQ(Set("flow.pool.count=64").scenario.flow(1).count(), 64u);
  EXPECT_EQ(Set("flow[pool].count=64").scenario.flow(1).count(), 64u);
  EXPECT_EQ(Set("flow[1].count=64").scenario.flow(1).count(), 64u);
  EXPECT_EQ(Set("flow.1.count=64").scenario.flow(1).count(), 64u);
  EXPECT_EQ(*Set("flow.pool.count=64").path, "flow[1].count");
}

TEST(SetFlagTest, NeedsNoNameForTheOnlyElement) {
  EXPECT_EQ(Set("arm.title=all").scenario.arm(0).title(), "all");
}

TEST(SetFlagTest, TakesStringsWithAndWithoutQuotes) {
  EXPECT_EQ(Set("question=Why not?").scenario.question(), "Why not?");
  EXPECT_EQ(Set("question=\"Why not?\"").scenario.question(), "Why not?");
  EXPECT_EQ(Set("question=say \"no\"").scenario.question(), "say \"no\"");
}

TEST(SetFlagTest, TakesEnumeratorsAndBooleans) {
  EXPECT_EQ(Set("payload=REAL").scenario.payload(), Scenario::REAL);
  EXPECT_FALSE(Set("checks=false").scenario.checks());
}

TEST(SetFlagTest, GivesAnEnumeratorToTheFieldOfTheMessageThatKnowsIt) {
  const Set set("guest.ring=PACKED");

  EXPECT_EQ(set.scenario.guest().ring().format(), Scenario::Ring::PACKED);
  EXPECT_EQ(*set.path, "guest.ring.format");
  EXPECT_FALSE(Set("guest.ring=TWO_TUPLE").path.ok());
  EXPECT_FALSE(Set("guest.ring=256").path.ok());
}

TEST(SetFlagTest, ReplacesAListWhole) {
  const Set set("arm.both.flow=[\"pool\"]");

  ASSERT_EQ(set.scenario.arm(0).flow_size(), 1);
  EXPECT_EQ(set.scenario.arm(0).flow(0), "pool");
}

TEST(SetFlagTest, ReplacesTheWorkloadByOneOfItsAlternatives) {
  const Set set("flow.pool.paced.interval_us=100");

  EXPECT_FALSE(set.scenario.flow(1).has_bulk());
  EXPECT_EQ(set.scenario.flow(1).paced().interval_us(), 100u);
}

TEST(SetFlagTest, OffersNearNamesForAnUnknownField) {
  EXPECT_EQ(Set("guest.ring.siz=256").error(),
            "--set guest.ring.siz: no field \"siz\" in Ring; did you mean "
            "size?");
}

TEST(SetFlagTest, OffersTheNamesThereAreForAnUnknownElement) {
  EXPECT_EQ(Set("flow.zzz.count=1").error(),
            "--set flow.zzz.count: no flow \"zzz\"; there are: lone, pool");
  EXPECT_EQ(Set("flow[2].count=1").error(),
            "--set flow[2].count: no flow \"2\"; there are: lone, pool");
  EXPECT_EQ(Set("expect[0].metric=x").error(),
            "--set expect[0].metric: there is no expect");
}

TEST(SetFlagTest, RefusesAValueOfTheWrongType) {
  EXPECT_EQ(Set("guest.vcpus=many").error(),
            "--set guest.vcpus=many: Expected integer, got: many");
  EXPECT_EQ(Set("guest.vcpus=-1").error(),
            "--set guest.vcpus=-1: Expected integer, got: -");
}

TEST(SetFlagTest, RefusesAValueThatReachesAnotherField) {
  EXPECT_EQ(Set("seed=1 replicates: 2").error(),
            "--set seed=1 replicates: 2: expected one value");
  EXPECT_NE(Set("seed=").error(), "");
}

TEST(SetFlagTest, RefusesPathsThatLeadNowhere) {
  EXPECT_EQ(Set("seed").error(), "--set seed: expected path=value");
  EXPECT_EQ(Set("=1").error(), "--set =1: expected path=value");
  EXPECT_EQ(Set("seed.x=1").error(), "--set seed.x: seed has no fields");
  EXPECT_EQ(Set("flow.lone=1").error(),
            "--set flow.lone: names a whole element; name one of its fields");
  EXPECT_EQ(Set("arm.both.flow[0]=x").error(),
            "--set arm.both.flow[0]: flow is a list; set it whole, as [\"a\", "
            "\"b\"]");
}

}  // namespace
}  // namespace sim
