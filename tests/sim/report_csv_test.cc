#include "sim/report_csv.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

// Rows of cells; no cell of these tests holds a comma unless it is quoted.
std::vector<std::vector<std::string>> Parse(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  for (const absl::string_view line :
       absl::StrSplit(csv, '\n', absl::SkipEmpty())) {
    rows.push_back(absl::StrSplit(line, ','));
  }
  return rows;
}

struct Table {
  explicit Table(const ScenarioResult& result)
      : rows(Parse(ReportCsv(result))) {}

  std::string Cell(size_t row, const std::string& column) const {
    const auto at = std::find(rows[0].begin(), rows[0].end(), column);
    if (at == rows[0].end()) return "no such column";
    return rows[row][static_cast<size_t>(at - rows[0].begin())];
  }

  std::vector<std::vector<std::string>> rows;
};

// One flow in one arm, two in two arms: five rows for each replicate.
TEST(ReportCsvTest, HasARowForEachFlowAndReplicate) {
  const Table table(FakeExperiment(3));

  ASSERT_EQ(table.rows.size(), 1u + 15u);
  for (const std::vector<std::string>& row : table.rows) {
    EXPECT_EQ(row.size(), table.rows[0].size());
  }
}

TEST(ReportCsvTest, KeysEachRowByEveryParameter) {
  const Table table(FakeExperiment(1));

  EXPECT_EQ(table.Cell(1, "version"), "9.9.9");
  EXPECT_EQ(table.Cell(1, "scenario.name"), "three");
  EXPECT_EQ(table.Cell(1, "scenario.seed"), "1");
  EXPECT_EQ(table.Cell(1, "scenario.guest.ring.size"), "128");
  EXPECT_EQ(table.Cell(1, "scenario.proposal.charge"), "TRUESIZE");
  EXPECT_EQ(table.Cell(1, "arm"), "alone");
  EXPECT_EQ(table.Cell(3, "flow.name"), "pool_streams");
  EXPECT_EQ(table.Cell(3, "flow.count"), "2");
  EXPECT_EQ(table.Cell(3, "flow.buffer_bytes"), "");
}

// What ran beside a flow decides its figures as its own parameters do.
TEST(ReportCsvTest, KeysEachRowByWhatRanBesideIt) {
  ScenarioResult result = FakeExperiment(1);
  Scenario::CostOverride& cost = *result.mutable_scenario()->add_cost();
  cost.set_name("kick");
  cost.set_value(5);

  const Table table(result);

  EXPECT_EQ(table.Cell(1, "arm.beside"), "");
  EXPECT_TRUE(absl::StrContains(table.Cell(2, "arm.beside"),
                                "name: \"\"pool_streams\"\" type: STREAM"));
  EXPECT_TRUE(absl::StrContains(table.Cell(2, "arm.beside"), "count: 2"));
  EXPECT_EQ(table.Cell(2, "scenario.cost"), "\"name: \"\"kick\"\" value: 5\"");
}

TEST(ReportCsvTest, GivesTheRunsNumbers) {
  const Table table(FakeExperiment(1));

  EXPECT_EQ(table.Cell(5, "flow.name"), "pool_datagrams");
  EXPECT_EQ(table.Cell(5, "drop.packets"), "5");
  EXPECT_EQ(table.Cell(5, "drop.by_cause"), "no_socket=5");
  EXPECT_EQ(table.Cell(5, "latency.p50_us"), "12.5");
  EXPECT_EQ(table.Cell(5, "totals.kicks_sent"), "7");
  EXPECT_EQ(table.Cell(5, "replay"), "./bazelw run //sim:three -- --seed=1");
}

TEST(ReportCsvTest, QuotesWhatWouldBreakARow) {
  ScenarioResult result = FakeExperiment(1);
  result.mutable_scenario()->set_question("Is it \"a\", or b?");

  const std::string csv = ReportCsv(result);

  EXPECT_NE(csv.find("\"Is it \"\"a\"\", or b?\""), std::string::npos);
}

}  // namespace
}  // namespace sim
