#include "sim/number_text.h"

#include "gtest/gtest.h"

namespace sim {
namespace {

TEST(NumberTextTest, GroupsThousands) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
}

TEST(NumberTextTest, PrintsTheDigitsThatMatter) {
  EXPECT_EQ(Short(0), "0");
  EXPECT_EQ(Short(0.12345), "0.123");
  EXPECT_EQ(Short(4.5678), "4.57");
  EXPECT_EQ(Short(61.234), "61.2");
  EXPECT_EQ(Short(612.34), "612");
  EXPECT_EQ(Short(12345.6), "12,346");
  EXPECT_EQ(Short(-12345.6), "-12,346");
  EXPECT_EQ(Short(999.7), "1,000");
}

TEST(NumberTextTest, PrintsPercentagesWithTheirSign) {
  EXPECT_EQ(SignedPercent(16), "+16.0 %");
  EXPECT_EQ(SignedPercent(-2.44), "-2.4 %");
  EXPECT_EQ(SignedPercent(-0.01), "0.0 %");
  EXPECT_EQ(SignedPercent(4729.6), "+4,730 %");
  EXPECT_EQ(SignedPercent(-4729.6), "-4,730 %");
}

TEST(NumberTextTest, PrintsPercentagesWithoutTheirSign) {
  EXPECT_EQ(UnsignedPercent(-2.44), "2.4 %");
  EXPECT_EQ(UnsignedPercent(2.44), "2.4 %");
  EXPECT_EQ(UnsignedPercent(-0.01), "0.0 %");
}

TEST(NumberTextTest, PrintsProbabilitiesThatNobodyMistakesForZero) {
  EXPECT_EQ(Probability(0.0321), "= 0.032");
  EXPECT_EQ(Probability(1e-9), "< 0.001");
  EXPECT_EQ(Probability(1), "> 0.999");
}

TEST(NumberTextTest, RoundsToNineDigits) {
  EXPECT_EQ(Rounded(0.1234567894), 0.123456789);
  EXPECT_EQ(Rounded(1234567894), 1234567890);
  EXPECT_EQ(Rounded(0), 0);
}

}  // namespace
}  // namespace sim
