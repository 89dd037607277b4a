#include "sim/student_t.h"

#include <cmath>

#include "gtest/gtest.h"

namespace sim {
namespace {

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, the column 0.975
// of the table of upper critical values.
TEST(StudentTTest, QuantilesAreThoseOfTheTable) {
  EXPECT_NEAR(TwoSidedT(1, 0.05), 12.706, 0.0005);
  EXPECT_NEAR(TwoSidedT(2, 0.05), 4.303, 0.0005);
  EXPECT_NEAR(TwoSidedT(8, 0.05), 2.306, 0.0005);
  EXPECT_NEAR(TwoSidedT(12, 0.05), 2.179, 0.0005);
  EXPECT_NEAR(TwoSidedT(100, 0.05), 1.984, 0.0005);
}

TEST(StudentTTest, OneDegreeOfFreedomIsCauchy) {
  const double pi = std::acos(-1.0);

  EXPECT_NEAR(TwoSidedP(1, 1), 0.5, 1e-12);
  EXPECT_NEAR(TwoSidedP(1, 3), 1 - 2 * std::atan(3) / pi, 1e-12);
}

TEST(StudentTTest, PAndQuantileAreInverse) {
  for (const double df : {1.0, 2.5, 12.0, 300.0}) {
    for (const double alpha : {0.5, 0.05, 0.001}) {
      EXPECT_NEAR(TwoSidedP(df, TwoSidedT(df, alpha)), alpha, 1e-10);
      EXPECT_NEAR(TwoSidedP(df, -TwoSidedT(df, alpha)), alpha, 1e-10);
    }
  }
}

TEST(StudentTTest, NoncentralIsCentralWithoutNoncentrality) {
  EXPECT_NEAR(NoncentralTwoSidedP(12, 2, 0), TwoSidedP(12, 2), 1e-10);
}

TEST(StudentTTest, NoncentralIsNormalForManyDegreesOfFreedom) {
  const auto upper = [](double z) { return std::erfc(z / std::sqrt(2)) / 2; };

  EXPECT_NEAR(NoncentralTwoSidedP(1e7, 2, 2.5), upper(-0.5) + upper(4.5), 1e-5);
}

TEST(StudentTTest, NoncentralIsCertainFarOut) {
  EXPECT_NEAR(NoncentralTwoSidedP(2, 4.3, 9e3), 1, 1e-9);
  EXPECT_EQ(NoncentralTwoSidedP(2, 4.3, 1e9), 1);
}

}  // namespace
}  // namespace sim
