#include "sim/laws.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

// Two items: one from 10 to 40, the other from 20 to 25.
Station TwoPassages() {
  Station station("queue");
  station.Arrive(Instant(10));
  station.Arrive(Instant(20));
  station.Depart(Instant(25), /*arrived=*/Instant(20));
  station.Depart(Instant(40), /*arrived=*/Instant(10));
  return station;
}

TEST(StationTest, LawsHoldWhenAllHaveDeparted) {
  const Station station = TwoPassages();

  EXPECT_TRUE(station.Check(Instant(100), {}).ok());
  EXPECT_EQ(station.arrivals(), 2u);
  EXPECT_EQ(station.departures(), 2u);
}

TEST(StationTest, LawsHoldWithItemsStillInside) {
  Station station = TwoPassages();
  station.Arrive(Instant(50));
  station.Arrive(Instant(70));

  EXPECT_TRUE(
      station.Check(Instant(100), std::vector{Instant(50), Instant(70)}).ok());
  EXPECT_EQ(station.length(), 2u);
}

TEST(StationTest, ItemThatSaysItCameAtAnotherTimeBreaksLittlesLaw) {
  Station station("tx list");
  station.Arrive(Instant(10));
  station.Depart(Instant(30), /*arrived=*/Instant(11));

  const absl::Status status = station.Check(Instant(30), {});

  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Message(status),
            "Little's law: tx list: area under the length 20 ns, sum of "
            "sojourns 19 ns");
}

TEST(StationTest, ItemInsideThatSaysItCameAtAnotherTimeBreaksLittlesLaw) {
  Station station("tx list");
  station.Arrive(Instant(10));

  EXPECT_FALSE(station.Check(Instant(30), std::vector{Instant(12)}).ok());
}

TEST(StationTest, ItemThatVanishedBreaksFlowBalance) {
  Station station("tx list");
  station.Arrive(Instant(10));

  EXPECT_EQ(Message(station.Check(Instant(30), {})),
            "flow balance: tx list: 1 arrived, 0 departed, 0 are inside");
}

TEST(StationTest, ItemOutOfNowhereBreaksFlowBalance) {
  Station station("tx list");
  station.Arrive(Instant(10));
  station.Depart(Instant(20), /*arrived=*/Instant(10));
  station.Depart(Instant(20), /*arrived=*/Instant(20));

  EXPECT_FALSE(station.Check(Instant(30), {}).ok());
}

TEST(UtilisationLawTest, BusyForAsLongAsTheWorkTakes) {
  EXPECT_TRUE(CheckUtilisation("cpu0", Nanos(70), Nanos(70)).ok());
}

TEST(UtilisationLawTest, TimeLostIsNamedWithItsProcessor) {
  EXPECT_EQ(Message(CheckUtilisation("cpu0", Nanos(71), Nanos(70))),
            "utilisation law: cpu0: busy for 71 ns, given 70 ns of work");
}

}  // namespace
}  // namespace sim
