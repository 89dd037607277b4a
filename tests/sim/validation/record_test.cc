#include "sim/validation/record.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "sim/files.h"
#include "sim/text_message.h"
#include "sim/validation/probes.h"
#include "sim/validation/table_text.h"

namespace sim {
namespace {

using ::testing::HasSubstr;

ValidationTable SmallTable() {
  ValidationTable table;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "row { name: \"a\" verdict: INSIDE bears_on: VSOCK } "
      "row { name: \"b\" verdict: MISSES bears_on: [VSOCK, VSOCK_LOOPBACK] } "
      "row { name: \"c\" verdict: DERIVED bears_on: VSOCK } "
      "row { name: \"d\" verdict: INSIDE bears_on: VSOCK_LOOPBACK }",
      &table));
  return table;
}

Scenario ScenarioOf(Scenario::Flow::Transport transport) {
  Scenario scenario;
  scenario.add_flow()->set_transport(transport);
  return scenario;
}

TEST(BearingTextTest, CountsRowsOnTheTransportsAndNamesTheMisses) {
  EXPECT_EQ(BearingText(SmallTable(), ScenarioOf(Scenario::Flow::VSOCK)),
            "Validation: of 3 rows of docs/validation.md on this, 1 inside, 1 "
            "derived, 0 waiting, 1 missed: b");
}

TEST(BearingTextTest, RowOnSeveralTransportsBearsOnEach) {
  EXPECT_EQ(
      BearingText(SmallTable(), ScenarioOf(Scenario::Flow::VSOCK_LOOPBACK)),
      "Validation: of 2 rows of docs/validation.md on this, 1 inside, 0 "
      "derived, 0 waiting, 1 missed: b");
}

TEST(BearingTextTest, SaysThatNoRowBears) {
  EXPECT_EQ(BearingText(SmallTable(), ScenarioOf(Scenario::Flow::VMCI)),
            "Validation: no row of docs/validation.md bears on this");
}

TEST(BearingTextTest, ManyMissesAreNamedInPart) {
  ValidationTable table;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    ValidationRow& row = *table.add_row();
    row.set_name(name);
    row.set_verdict(ValidationRow::MISSES);
    row.add_bears_on(Scenario::Flow::UDP);
  }

  EXPECT_EQ(BearingText(table, ScenarioOf(Scenario::Flow::UDP)),
            "Validation: of 7 rows of docs/validation.md on this, 0 inside, 0 "
            "derived, 0 waiting, 7 missed: a, b, c, d, e, f, ...");
}

TEST(RecordTest, RecordedTableHasARowForEachClaim) {
  const absl::StatusOr<ValidationTable> record = ReadRecord();
  ASSERT_TRUE(record.ok()) << record.status();
  std::vector<std::string> claims;
  for (const Probe& probe : AllProbes()) {
    for (const Claim& claim : probe.claims) claims.push_back(claim.name);
  }
  std::vector<std::string> rows;
  for (const ValidationRow& row : record->row()) rows.push_back(row.name());

  EXPECT_EQ(rows, claims);
}

TEST(RecordTest, DocumentShowsTheRecordedTable) {
  const absl::StatusOr<std::string> path = DataPath("docs/validation.md");
  ASSERT_TRUE(path.ok()) << path.status();
  const absl::StatusOr<std::string> document = ReadFile(*path);
  ASSERT_TRUE(document.ok()) << document.status();

  EXPECT_THAT(*document, HasSubstr(TableText(*ReadRecord())));
}

}  // namespace
}  // namespace sim
