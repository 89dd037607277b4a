#include "sim/metric.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"

namespace sim {
namespace {

RunResult OneFlow() {
  RunResult run;
  FlowResult& flow = *run.add_flow();
  flow.set_name("lone");
  flow.set_goodput_bytes_per_second(2.5);
  flow.set_messages_sent(uint64_t{1} << 40);
  flow.set_connections_reset(3);
  flow.mutable_latency()->set_p99_us(7.25);
  for (const uint64_t packets : {1, 2}) {
    Drop& drop = *flow.add_drop();
    drop.set_packets(packets);
    drop.set_payload_bytes(10 * packets);
  }
  run.mutable_totals()->set_kicks_sent(11);
  return run;
}

TEST(MetricTest, FindsNumbersOfAFlowByTheirNames) {
  const RunResult run = OneFlow();

  EXPECT_EQ(MetricValue(run, "lone", "goodput_bytes_per_second"), 2.5);
  EXPECT_EQ(MetricValue(run, "lone", "messages_sent"), 1099511627776.0);
  EXPECT_EQ(MetricValue(run, "lone", "connections_reset"), 3.0);
  EXPECT_EQ(MetricValue(run, "lone", "latency.p99_us"), 7.25);
}

TEST(MetricTest, SumsDropsOverTheirCauses) {
  const RunResult run = OneFlow();

  EXPECT_EQ(MetricValue(run, "lone", "drop.packets"), 3.0);
  EXPECT_EQ(MetricValue(run, "lone", "drop.payload_bytes"), 30.0);
}

TEST(MetricTest, FindsTotals) {
  EXPECT_EQ(MetricValue(OneFlow(), "totals", "kicks_sent"), 11.0);
}

TEST(MetricTest, HasNothingForWhatIsNotThere) {
  const RunResult run = OneFlow();

  EXPECT_EQ(MetricValue(run, "pool", "messages_sent"), absl::nullopt);
  EXPECT_EQ(MetricValue(run, "lone", "no_such"), absl::nullopt);
  EXPECT_EQ(MetricValue(run, "lone", "jain_index"), absl::nullopt);
  EXPECT_EQ(MetricValue(run, "lone", "name"), absl::nullopt);
  EXPECT_EQ(MetricValue(run, "totals", "station"), absl::nullopt);
}

TEST(MetricTest, EveryNameIsANumberOrTheShare) {
  RunResult run = OneFlow();
  const std::vector<std::string> names = FlowMetricNames();

  EXPECT_EQ(std::count(names.begin(), names.end(), kGoodput), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), kShareOfUnstressed), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "latency.p999_us"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "type"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "measured"), 0);
}

}  // namespace
}  // namespace sim
