#include "sim/aggregate.h"

#include <string>

#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "sim/result_query.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

const std::string kLoneGoodput = "lone.goodput_bytes_per_second";

// Mean 11, sample standard deviation 1; the t quantile for 2 degrees of freedom
// and 95 % is 4.302653 (tables), so the interval is 11 +- 4.302653 / sqrt(3).
TEST(AggregateTest, GivesMeanSpreadAndInterval) {
  const ScenarioResult result = ResultWith({10, 11, 12}, {1, 2, 3});

  const Summary* summary = FindSummary(result, "datagrams", kLoneGoodput);
  ASSERT_NE(summary, nullptr);
  EXPECT_EQ(summary->n(), 3u);
  EXPECT_DOUBLE_EQ(summary->mean(), 11);
  EXPECT_DOUBLE_EQ(summary->standard_deviation(), 1);
  EXPECT_NEAR(summary->interval_low(), 11 - 2.484138, 1e-5);
  EXPECT_NEAR(summary->interval_high(), 11 + 2.484138, 1e-5);
}

TEST(AggregateTest, OneReplicateHasAMeanOnly) {
  const ScenarioResult result = ResultWith({10}, {20});

  const Summary* summary = FindSummary(result, "datagrams", kLoneGoodput);
  ASSERT_NE(summary, nullptr);
  EXPECT_DOUBLE_EQ(summary->mean(), 10);
  EXPECT_FALSE(summary->has_standard_deviation());
  EXPECT_FALSE(summary->has_interval_low());
}

// Unstressed the flow gets 100.
TEST(AggregateTest, DividesByTheUnstressedRunOfTheSameSeed) {
  const ScenarioResult result = ResultWith({10, 30}, {40, 50});

  const Summary* share =
      FindSummary(result, "datagrams", "lone.share_of_unstressed");
  ASSERT_NE(share, nullptr);
  EXPECT_DOUBLE_EQ(share->mean(), 0.2);
}

TEST(AggregateTest, SumsUpWhatAFlowDidNotMeasureAsNothing) {
  const ScenarioResult result = ResultWith({10, 30}, {40, 50});

  EXPECT_EQ(FindSummary(result, "datagrams", "lone.jain_index"), nullptr);
}

ExpectResult Judged(double at_least, double at_most) {
  ScenarioResult result = ResultWith({10, 12}, {1, 2});
  Expect& expect = *result.mutable_scenario()->add_expect();
  expect.set_metric(kLoneGoodput);
  expect.set_arm("datagrams");
  expect.set_at_least(at_least);
  expect.set_at_most(at_most);
  Aggregate(result);
  return result.expect(0);
}

TEST(AggregateTest, JudgesExpectationsByTheMean) {
  EXPECT_TRUE(Judged(11, 11).held());
  EXPECT_FALSE(Judged(11.1, 20).held());
  EXPECT_FALSE(Judged(0, 10.9).held());
  EXPECT_DOUBLE_EQ(Judged(0, 0).value(), 11);
}

TEST(AggregateTest, WhatWasNotMeasuredDoesNotHold) {
  ScenarioResult result = ResultWith({10, 12}, {1, 2});
  Expect& expect = *result.mutable_scenario()->add_expect();
  expect.set_metric("lone.jain_index");
  expect.set_arm("datagrams");
  expect.set_at_least(0);

  Aggregate(result);

  EXPECT_FALSE(result.expect(0).held());
  EXPECT_FALSE(result.expect(0).has_value());
}

}  // namespace
}  // namespace sim
