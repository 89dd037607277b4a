#include "sim/validation/validate.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "sim/validation/probe.h"

namespace sim {
namespace {

// The kick's cost, which has the range 1000..3000, and a constant.
Probe KickProbe(double low, double high, uint32_t draws = 60) {
  return {
      .title = "kick",
      .source = "nobody",
      .draws = draws,
      .claims = {{.name = "kick",
                  .claim = "a kick",
                  .low = low,
                  .high = high,
                  .note = "too dear"},
                 {.name = "constant", .claim = "seven", .low = 7, .high = 7}},
      .predict = [](const Platform& costs, uint64_t) {
        return absl::StatusOr<std::vector<double>>(
            std::vector<double>{static_cast<double>(costs.kick().mode()), 7});
      }};
}

ValidationTable TableOf(const std::vector<Probe>& probes, uint32_t jobs = 1) {
  const std::atomic<bool> stop(false);
  auto table = Validate(probes, {.jobs = jobs}, stop);
  EXPECT_TRUE(table.ok()) << table.status();
  return *std::move(table);
}

TEST(ValidateTest, FigureInTheIntervalIsInside) {
  const ValidationTable table = TableOf({KickProbe(1950, 2050)});

  EXPECT_EQ(table.row(0).verdict(), ValidationRow::INSIDE);
  EXPECT_TRUE(table.row(0).note().empty());
  EXPECT_LT(table.row(0).low(), table.row(0).median());
  EXPECT_LT(table.row(0).median(), table.row(0).high());
}

TEST(ValidateTest, FigureOutsideMissesAndSaysWhatIsKnown) {
  const ValidationTable table = TableOf({KickProbe(2990, 3500)});

  EXPECT_EQ(table.row(0).verdict(), ValidationRow::MISSES);
  EXPECT_EQ(table.row(0).note(), "too dear");
}

TEST(ValidateTest, FigureThatCostsWereTakenFromProvesNothing) {
  Probe probe = KickProbe(1950, 2050);
  probe.claims[0].derived = true;

  EXPECT_EQ(TableOf({probe}).row(0).verdict(), ValidationRow::DERIVED);
}

TEST(ValidateTest, NamesTheCostThatAPredictionHangsOn) {
  const ValidationTable table = TableOf({KickProbe(1950, 2050)});

  EXPECT_EQ(table.row(0).hangs_on(), "kick");
  EXPECT_DOUBLE_EQ(table.row(0).rank_correlation(), 1);
  EXPECT_FALSE(table.row(1).has_hangs_on());
}

TEST(ValidateTest, OneDrawTakesEveryCostAtItsMode) {
  EXPECT_EQ(TableOf({KickProbe(0, 1, /*draws=*/1)}).row(0).median(), 2000);
}

TEST(ValidateTest, WhatCannotBePredictedWaits) {
  Probe probe = KickProbe(0, 1);
  probe.predict = [](const Platform&, uint64_t) {
    return absl::StatusOr<std::vector<double>>(
        std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 7});
  };

  EXPECT_EQ(TableOf({probe}).row(0).verdict(), ValidationRow::WAITS);
  EXPECT_EQ(TableOf({probe}).row(0).note(), "too dear");
}

TEST(ValidateTest, AnyNumberOfJobsGivesTheSameTable) {
  const std::vector<Probe> probes = {KickProbe(0, 1), KickProbe(2000, 2100)};

  EXPECT_EQ(TableOf(probes, 1).SerializeAsString(),
            TableOf(probes, 3).SerializeAsString());
}

TEST(ValidateTest, FailedRunIsNamed) {
  Probe probe = KickProbe(0, 1);
  probe.predict = [](const Platform&, uint64_t) {
    return absl::StatusOr<std::vector<double>>(absl::InternalError("broke"));
  };
  const std::atomic<bool> stop(false);

  const absl::Status status = Validate({probe}, {}, stop).status();

  EXPECT_EQ(status.message(), "kick, draw 0: broke");
}

TEST(ValidateTest, StopsWhenAsked) {
  const std::atomic<bool> stop(true);

  EXPECT_TRUE(
      absl::IsCancelled(Validate({KickProbe(0, 1)}, {}, stop).status()));
}

TEST(ValidateTest, UnknownPlatformIsAnError) {
  Probe probe = KickProbe(0, 1);
  probe.platform = "nowhere";
  const std::atomic<bool> stop(false);

  EXPECT_FALSE(Validate({probe}, {}, stop).ok());
}

TEST(ValidateTest, GivenPlatformTakesThePlaceOfTheProbes) {
  Platform platform;
  platform.mutable_kick()->set_mode(77);
  const std::atomic<bool> stop(false);

  const auto table =
      Validate({KickProbe(0, 1, /*draws=*/1)}, {.platform = platform}, stop);

  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->row(0).median(), 77);
}

}  // namespace
}  // namespace sim
