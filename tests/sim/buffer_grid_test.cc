// Tries sim/buffer_grid.h on results that are made up, and the flags.

#include "sim/buffer_grid.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sim/arguments.h"
#include "sim/buffer_flags.h"
#include "sim/buffer_grid_text.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

BufferGrid SmallGrid() {
  return BufferGrid({.from = 8192,
                     .to = 32768,
                     .directions = {"read"},
                     .image_bytes = 1000000});
}

// The result of SmallGrid with these reply bytes in 1 ms for each send buffer,
// and as many for each receive buffer.
ScenarioResult ResultOf(const std::vector<uint64_t>& bytes_by_send) {
  Scenario scenario;
  scenario.add_flow()->set_name("read");
  scenario.set_duration_us(1000);
  SmallGrid().Expand(scenario);
  ScenarioResult result;
  *result.mutable_scenario() = scenario;
  int cell = 0;
  for (const Scenario::Flow& flow : scenario.flow()) {
    RunResult& run = *result.add_run();
    run.set_arm(flow.name());
    FlowResult& out = *run.add_flow();
    out.set_name(flow.name());
    out.set_reply_bytes_delivered(bytes_by_send[cell++ / 3]);
    out.set_sender_processor_us(500);
  }
  return result;
}

absl::StatusOr<BufferGrid::Options> OptionsOf(const std::string& flag) {
  return ReadBufferOptions(*Arguments::Parse({flag}, BufferFlags()));
}

TEST(BufferGridTest, SizesAreThePowersOfTwoFrom8KiBTo8MiB) {
  EXPECT_EQ(BufferGrid({}).sizes().size(), 11u);
  EXPECT_EQ(BufferGrid({}).sizes().back(), 8388608u);
}

TEST(BufferGridTest, PutsEveryPairInAnArmOfItsOwn) {
  const ScenarioResult result = ResultOf({1, 1, 1});

  ASSERT_EQ(result.scenario().flow_size(), 3 * 3);
  ASSERT_EQ(result.scenario().arm_size(), 3 * 3);
  EXPECT_EQ(result.scenario().flow(5).send_buffer_bytes(), 16384u);
  EXPECT_EQ(result.scenario().flow(5).receive_buffer_bytes(), 32768u);
}

// 250000 bytes in 1 ms: an image of 1000000 takes 4 ms, and 4 x 0.5 ms of CPU.
TEST(BufferGridTest, ScalesACellToTheImage) {
  const auto cost =
      SmallGrid().CostOf(ResultOf({250000, 1, 1}), "read", {8192, 8192});

  ASSERT_TRUE(cost.has_value());
  EXPECT_DOUBLE_EQ(cost->time, 0.004);
  EXPECT_DOUBLE_EQ(cost->client, 0.002);
}

TEST(BufferGridTest, CellThatMovedNothingHasNoCost) {
  EXPECT_FALSE(SmallGrid()
                   .CostOf(ResultOf({0, 1, 1}), "read", {8192, 8192})
                   .has_value());
}

TEST(BufferGridTest, KneeIsTheSmallestPairWithinFivePercentOfTheBest) {
  const auto knee = SmallGrid().Knee(ResultOf({50, 96, 100}), "read");

  ASSERT_TRUE(knee.has_value());
  EXPECT_EQ(knee->send_buffer, 16384u);  // 100 / 96 = 1.042
  EXPECT_EQ(knee->receive_buffer, 8192u);
}

TEST(BufferGridTest, MoreThanFivePercentOffTheBestIsNoKnee) {
  const auto knee = SmallGrid().Knee(ResultOf({50, 95, 100}), "read");

  ASSERT_TRUE(knee.has_value());
  EXPECT_EQ(knee->send_buffer, 32768u);  // 100 / 95 = 1.053
}

TEST(BufferGridTextTest, ShowsSizesAsPeopleWriteThem) {
  EXPECT_EQ(SizeText(8192), "8k");
  EXPECT_EQ(SizeText(2097152), "2m");
  EXPECT_EQ(SizeText(1000), "1000");
}

TEST(BufferFlagsTest, WantsPowersOfTwoInOrder) {
  EXPECT_EQ(OptionsOf("--from=65536")->from, 65536u);
  EXPECT_FALSE(OptionsOf("--from=65535").ok());
  EXPECT_FALSE(OptionsOf("--to=4096").ok());  // below the default of --from
}

TEST(BufferFlagsTest, TakesOneDirectionOrBoth) {
  EXPECT_EQ(OptionsOf("--direction=both")->directions.size(), 2u);
  EXPECT_EQ(OptionsOf("--direction=write")->directions,
            std::vector<std::string>{"write"});
  EXPECT_FALSE(OptionsOf("--direction=sideways").ok());
}

}  // namespace
}  // namespace sim
