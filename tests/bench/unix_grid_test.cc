#include "bench/unix_grid.h"

#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "sim/files.h"
#include "sim/platform_loader.h"
#include "sim/scenario.pb.h"

namespace bench {
namespace {

using sim::Scenario;

UnixGridCell Cell(double predicted, double measured) {
  UnixGridCell cell;
  cell.predicted_bytes_per_s = predicted;
  cell.measured_bytes_per_s = measured;
  return cell;
}

TEST(UnixGridTest, ErrorIsRelativeToWhatWasMeasured) {
  EXPECT_DOUBLE_EQ(RelativeError(Cell(150, 100)), 0.5);
  EXPECT_DOUBLE_EQ(RelativeError(Cell(50, 100)), 0.5);
}

TEST(UnixGridTest, MessageThatOnlyTheModelTakesIsWhollyWrong) {
  EXPECT_EQ(RelativeError(Cell(100, 0)), 1);
  EXPECT_EQ(RelativeError(Cell(0, 100)), 1);
}

TEST(UnixGridTest, MedianLeavesOutWhatFitsNeither) {
  const std::vector<UnixGridCell> cells = {
      Cell(110, 100), Cell(0, 0), Cell(130, 100), Cell(0, 0), Cell(120, 100)};

  EXPECT_DOUBLE_EQ(MedianError(cells), 0.2);
}

TEST(UnixGridTest, ScenarioIsOneSenderOnTwoProcessors) {
  const Scenario scenario =
      UnixGridScenario(Scenario::Flow::DGRAM, 65536, 1024);

  EXPECT_EQ(scenario.host().cpus(), 2u);
  ASSERT_EQ(scenario.flow_size(), 1);
  EXPECT_EQ(scenario.flow(0).transport(), Scenario::Flow::UNIX);
  EXPECT_EQ(scenario.flow(0).send_buffer_bytes(), 65536u);
  EXPECT_EQ(scenario.flow(0).message_bytes(), 1024u);
  EXPECT_EQ(scenario.arm_size(), 1);
}

// SO_SNDBUF 8,192 takes no datagram of 16,384 bytes, in the model and here.
TEST(UnixGridTest, EachCellIsPredictedMeasuredAndPrinted) {
  const auto platform =
      sim::ReadPlatform(*sim::DataPath("sim/platforms/linux_kvm.textproto"));
  UnixGridOptions options = {.send_buffers = {8192}, .messages = {1024, 16384}};
  options.timing.repetitions = 1;

  const auto cells = RunUnixGrid(*platform, options);

  ASSERT_TRUE(cells.ok()) << cells.status();
  ASSERT_EQ(cells->size(), 4u);
  EXPECT_GT((*cells)[2].predicted_bytes_per_s, 0);
  EXPECT_EQ((*cells)[3].predicted_bytes_per_s, 0);
  EXPECT_EQ((*cells)[3].measured_bytes_per_s, 0);
  EXPECT_TRUE(absl::StrContains(UnixGridTable(*cells), "EMSGSIZE"));
}

}  // namespace
}  // namespace bench
