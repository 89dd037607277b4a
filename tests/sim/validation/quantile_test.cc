#include "sim/validation/quantile.h"

#include "gtest/gtest.h"

namespace sim {
namespace {

// R: quantile(c(10, 20, 30, 40), c(0.05, 0.5, 0.95)) is 11.5, 25, 38.5.
TEST(QuantileTest, LiesBetweenOrderStatisticsAsInR) {
  EXPECT_DOUBLE_EQ(Quantile({40, 10, 30, 20}, 0.05), 11.5);
  EXPECT_DOUBLE_EQ(Quantile({40, 10, 30, 20}, 0.5), 25);
  EXPECT_DOUBLE_EQ(Quantile({40, 10, 30, 20}, 0.95), 38.5);
}

TEST(QuantileTest, EndsAreTheExtremes) {
  EXPECT_EQ(Quantile({3, 1, 2}, 0), 1);
  EXPECT_EQ(Quantile({3, 1, 2}, 1), 3);
  EXPECT_EQ(Quantile({7}, 0.5), 7);
}

}  // namespace
}  // namespace sim
