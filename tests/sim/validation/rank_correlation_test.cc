#include "sim/validation/rank_correlation.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

using ::testing::ElementsAre;

TEST(RanksTest, EqualValuesShareTheMeanOfTheirRanks) {
  const std::vector<double> values = {30, 10, 20, 10, 10};

  EXPECT_THAT(Ranks(values), ElementsAre(5, 2, 4, 2, 2));
}

TEST(RankCorrelationTest, MonotonousListsCorrelateWholly) {
  const std::vector<double> up = {1, 2, 3, 4};
  const std::vector<double> steep = {1, 10, 100, 1000};
  const std::vector<double> down = {9, 7, 5, -3};

  EXPECT_DOUBLE_EQ(RankCorrelation(up, steep), 1);
  EXPECT_DOUBLE_EQ(RankCorrelation(up, down), -1);
}

// The usual textbook example, intelligence quotient against hours of
// television: 1 - 6 x 194 / (10 x 99) = -29 / 165.
TEST(RankCorrelationTest, MeetsTheTextbook) {
  const std::vector<double> iq = {106, 100, 86,  101, 99,
                                  103, 97,  113, 112, 110};
  const std::vector<double> hours = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};

  EXPECT_NEAR(RankCorrelation(iq, hours), -29.0 / 165, 1e-12);
}

TEST(RankCorrelationTest, WithoutSpreadThereIsNone) {
  const std::vector<double> flat = {5, 5, 5};
  const std::vector<double> up = {1, 2, 3};

  EXPECT_EQ(RankCorrelation(flat, up), 0);
}

}  // namespace
}  // namespace sim
