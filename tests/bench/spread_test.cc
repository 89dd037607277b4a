#include "bench/spread.h"

#include <vector>

#include "gtest/gtest.h"

namespace bench {
namespace {

TEST(SpreadTest, OneValueIsAllThree) {
  const Spread spread = SpreadOf({7});

  EXPECT_EQ(spread.low, 7);
  EXPECT_EQ(spread.median, 7);
  EXPECT_EQ(spread.high, 7);
  EXPECT_EQ(spread.n, 1u);
}

TEST(SpreadTest, MedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle) {
  EXPECT_EQ(SpreadOf({4, 1, 3, 100}).median, 3.5);
}

TEST(SpreadTest, LeavesATenthOutOnEitherSide) {
  std::vector<double> values;
  for (int i = 21; i >= 1; --i) values.push_back(i);

  const Spread spread = SpreadOf(values);

  EXPECT_EQ(spread.low, 3);
  EXPECT_EQ(spread.median, 11);
  EXPECT_EQ(spread.high, 19);
}

TEST(SpreadTest, FewValuesKeepTheirExtremes) {
  const Spread spread = SpreadOf({2, 9, 5});

  EXPECT_EQ(spread.low, 2);
  EXPECT_EQ(spread.high, 9);
}

}  // namespace
}  // namespace bench
