#include "bench/calibration.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/files.h"
#include "sim/platform.pb.h"
#include "sim/platform_loader.h"

namespace bench {
namespace {

using sim::Cost;
using sim::Platform;

Platform LinuxKvm() {
  return *sim::ReadPlatform(
      *sim::DataPath("sim/platforms/linux_kvm.textproto"));
}

// A nonsensical machine, so that nothing can be taken for a default.
Platform Calibrated() {
  const std::vector<Figure> figures = {
      {"syscall", "a call", Cost::NANOSECONDS, {7.4, 11.6, 13.0, 21}},
      {"", "only shown", Cost::NANOSECONDS, {1, 2, 3, 21}},
      {"copy", "a byte", Cost::PICOSECONDS_PER_BYTE, {-3, 5, 6, 21}}};
  return CalibratedPlatform(LinuxKvm(), figures,
                            {.machine = "some processor", .date = "today"});
}

TEST(CalibrationTest, FiguresTakeThePlaceOfThePlatformsOwn) {
  const Platform platform = Calibrated();

  EXPECT_EQ(platform.name(), "calibrated");
  EXPECT_EQ(platform.syscall().low(), 7u);
  EXPECT_EQ(platform.syscall().mode(), 12u);
  EXPECT_EQ(platform.syscall().high(), 13u);
}

TEST(CalibrationTest, SourceSaysMachineDayAndRepetitions) {
  EXPECT_EQ(Calibrated().syscall().source(),
            "measured on some processor, today, 21 repetitions: a call");
}

TEST(CalibrationTest, WhatWasNotMeasuredStays) {
  const Platform platform = Calibrated();

  EXPECT_EQ(platform.kick().mode(), LinuxKvm().kick().mode());
  EXPECT_EQ(platform.kick().source(), LinuxKvm().kick().source());
}

TEST(CalibrationTest, DifferenceBelowZeroIsWrittenAsZero) {
  EXPECT_EQ(Calibrated().copy().low(), 0u);
  EXPECT_EQ(Calibrated().copy().mode(), 5u);
}

TEST(CalibrationTest, FileThatIsWrittenLoadsAsTheSamePlatform) {
  const std::string path = testing::TempDir() + "/calibrated.textproto";
  std::ofstream(path) << PlatformText(Calibrated());

  const absl::StatusOr<Platform> read = sim::ReadPlatform(path);

  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->SerializeAsString(), Calibrated().SerializeAsString());
}

TEST(CalibrationTest, EveryCostThatIsMeasuredIsOneOfThePlatforms) {
  const std::vector<Figure> figures =
      Calibrate(/*repetitions=*/1, [](absl::string_view) {});

  const Platform platform =
      CalibratedPlatform(LinuxKvm(), figures, {.machine = "x", .date = "y"});

  const std::string path = testing::TempDir() + "/measured.textproto";
  std::ofstream(path) << PlatformText(platform);
  EXPECT_TRUE(sim::ReadPlatform(path).ok());
}

}  // namespace
}  // namespace bench
