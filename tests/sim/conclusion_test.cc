#include "sim/conclusion.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

// Nine values around `mean`.
std::vector<double> Around(double mean, double step) {
  std::vector<double> values;
  for (int i = -4; i <= 4; ++i) values.push_back(mean + step * i);
  return values;
}

std::string Concluded(const ScenarioResult& result) {
  return Conclude(result.scenario(), result.comparison(0));
}

TEST(ConclusionTest, SaysWhichArmGetsMoreWhenBothTestsTellThemApart) {
  const ScenarioResult more = ResultWith(Around(200, 1), Around(100, 1.1));
  const ScenarioResult less = ResultWith(Around(50, 1), Around(100, 1.1));

  EXPECT_EQ(Judge(more.comparison(0)), Verdict::kDifferent);
  EXPECT_TRUE(absl::StartsWith(Concluded(more),
                               "\"lone\" gets 100.0 % more in \"datagrams\" "
                               "than in \"streams\" (95 % interval "))
      << Concluded(more);
  EXPECT_TRUE(absl::StrContains(Concluded(less), "gets 50.0 % less in"));
}

TEST(ConclusionTest, SaysThatNoDifferenceWasFound) {
  const ScenarioResult result = ResultWith(Around(100, 10), Around(101, 10.1));

  EXPECT_EQ(Judge(result.comparison(0)), Verdict::kSame);
  EXPECT_TRUE(absl::StartsWith(Concluded(result),
                               "No difference of \"lone\" between "
                               "\"datagrams\" and \"streams\" was found"));
}

// One far value hides from Welch what the ranks show.
TEST(ConclusionTest, LeavesItOpenWhenTheTestsDisagree) {
  const ScenarioResult result =
      ResultWith({10, 11, 12, 13, 14, 15, 16, 17, 900}, Around(5, 0.5));

  EXPECT_EQ(Judge(result.comparison(0)), Verdict::kUnclear);
  EXPECT_TRUE(absl::StrContains(Concluded(result), "stays open"));
}

TEST(ConclusionTest, SaysNothingOfASingleReplicate) {
  const ScenarioResult result = ResultWith({10}, {20});

  EXPECT_EQ(Judge(result.comparison(0)), Verdict::kUntested);
  EXPECT_TRUE(absl::StartsWith(Concluded(result), "Nothing can be said of"));
}

TEST(ConclusionTest, StatesTheDifferenceOfRunsWithoutSpread) {
  const ScenarioResult result = ResultWith({12, 12, 12}, {10, 10, 10});

  EXPECT_TRUE(absl::StrContains(Concluded(result),
                                "do not spread; the difference is +20.0 %."));
}

TEST(ConclusionTest, WarnsOfFewerThanNineReplicates) {
  const ScenarioResult eight =
      ResultWith({1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18});
  const ScenarioResult nine = ResultWith(Around(200, 1), Around(100, 1.1));

  EXPECT_TRUE(absl::StrContains(Concluded(eight), "below the 9"));
  EXPECT_FALSE(absl::StrContains(Concluded(nine), "below the 9"));
}

}  // namespace
}  // namespace sim
