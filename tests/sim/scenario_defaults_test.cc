#include "sim/scenario_defaults.h"

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

Scenario Filled(const std::string& text) {
  Scenario scenario;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &scenario));
  FillDefaults(scenario);
  return scenario;
}

// What the schema says: QEMU's ring, Linux's buffers.
TEST(ScenarioDefaultsTest, SaysWhatTheFileLeftOut) {
  const Scenario scenario = Filled("flow { name: \"f\" type: STREAM }");

  EXPECT_TRUE(scenario.guest().ring().has_size());
  EXPECT_EQ(scenario.guest().ring().size(), 128u);
  EXPECT_EQ(scenario.guest().kernel().wmem_max_bytes(), 212992u);
  EXPECT_EQ(scenario.host().kernel().stream_buffer_bytes(), 262144u);
  EXPECT_EQ(scenario.device().packet_weight(), 256u);
  EXPECT_EQ(scenario.device().byte_weight(), 524288u);
  EXPECT_TRUE(scenario.flow(0).has_bulk());
}

TEST(ScenarioDefaultsTest, KeepsWhatTheFileSays) {
  const Scenario scenario = Filled(
      "guest { ring { size: 8 } } warmup_us: 0 "
      "flow { name: \"f\" type: STREAM paced { interval_us: 3 } start_us: 0 }");

  EXPECT_EQ(scenario.guest().ring().size(), 8u);
  EXPECT_EQ(scenario.warmup_us(), 0u);
  EXPECT_TRUE(scenario.flow(0).has_paced());
  EXPECT_EQ(scenario.flow(0).start_us(), 0u);
}

TEST(ScenarioDefaultsTest, DoesNotMakeUpWhatIsRequired) {
  const Scenario scenario = Filled("flow {}");

  EXPECT_FALSE(scenario.has_name());
  EXPECT_FALSE(scenario.flow(0).has_type());
  EXPECT_FALSE(scenario.flow(0).from().has_cid());
  EXPECT_FALSE(scenario.flow(0).has_buffer_bytes());
}

TEST(ScenarioDefaultsTest, DoingItTwiceChangesNothing) {
  const Scenario once = Filled("flow { name: \"f\" type: DGRAM }");
  Scenario twice = once;

  FillDefaults(twice);

  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(once, twice));
}

// Load before and after what is measured: the control the mail asked for.
TEST(ScenarioDefaultsTest, LoadOutlastsTheMeasuredFlowOnBothSides) {
  const Scenario scenario = Filled(
      "warmup_us: 100 duration_us: 1000 cooldown_us: 10 "
      "flow { name: \"m\" type: STREAM measured: true } "
      "flow { name: \"l\" type: STREAM }");

  EXPECT_EQ(scenario.flow(0).start_us(), 50u);
  EXPECT_EQ(scenario.flow(0).stop_us(), 1100u);
  EXPECT_EQ(scenario.flow(1).start_us(), 0u);
  EXPECT_EQ(scenario.flow(1).stop_us(), 1110u);
}

TEST(ScenarioDefaultsTest, MakesTwoArmsOfMeasuredFlowsAndLoad) {
  const Scenario scenario = Filled(
      "flow { name: \"m\" type: STREAM measured: true } "
      "flow { name: \"l\" type: STREAM }");

  ASSERT_EQ(scenario.arm_size(), 2);
  EXPECT_EQ(scenario.arm(0).name(), "alone");
  EXPECT_EQ(scenario.arm(0).flow_size(), 1);
  EXPECT_EQ(scenario.arm(1).name(), "together");
  EXPECT_EQ(scenario.arm(1).flow_size(), 2);
  EXPECT_EQ(scenario.unstressed_arm(), "alone");
}

TEST(ScenarioDefaultsTest, MeasuresAllFlowsIfNoneIsMeasured) {
  const Scenario scenario = Filled(
      "flow { name: \"a\" type: STREAM } flow { name: \"b\" type: STREAM }");

  EXPECT_TRUE(scenario.flow(0).measured() && scenario.flow(1).measured());
  ASSERT_EQ(scenario.arm_size(), 1);
  EXPECT_EQ(scenario.arm(0).name(), "together");
}

// 2023 charges truesize, 2026 payload bytes.
TEST(ScenarioDefaultsTest, TakesTheChargeFromTheProposal) {
  const auto charge = [](const std::string& proposal) {
    return Filled("proposal { " + proposal + " } flow {}").proposal().charge();
  };

  EXPECT_EQ(charge(""), Scenario::Proposal::TRUESIZE);
  EXPECT_EQ(charge("name: \"linux-2026\""), Scenario::Proposal::PAYLOAD);
  EXPECT_EQ(charge("name: \"linux-2026\" charge: TRUESIZE"),
            Scenario::Proposal::TRUESIZE);
}

TEST(ScenarioDefaultsTest, GivesEachDatagramSenderAReceivingSocket) {
  const Scenario scenario =
      Filled("flow { type: DGRAM count: 5 } flow { type: STREAM count: 5 }");

  EXPECT_EQ(scenario.flow(0).receiving_sockets(), 5u);
  EXPECT_FALSE(scenario.flow(1).has_receiving_sockets());
}

TEST(ScenarioDefaultsTest, LetsASlowReceiverReadOneMessageAtATime) {
  const Scenario scenario = Filled(
      "flow { type: STREAM message_bytes: 512 receiver { behaviour: SLOW } } "
      "flow { type: DGRAM message_bytes: 0 receiver { behaviour: SLOW } } "
      "flow { type: STREAM }");

  EXPECT_EQ(scenario.flow(0).receiver().read_bytes(), 512u);
  EXPECT_EQ(scenario.flow(1).receiver().read_bytes(), 1u);
  EXPECT_EQ(scenario.flow(2).receiver().read_bytes(), 65536u);
}

}  // namespace
}  // namespace sim
