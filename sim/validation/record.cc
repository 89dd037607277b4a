#include "sim/validation/record.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/text_format.h"
#include "sim/files.h"
#include "sim/text_message.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

constexpr char kRecord[] = "sim/validation/recorded.textproto";

bool Bears(const ValidationRow& row, const Scenario& scenario) {
  return std::any_of(
      row.bears_on().begin(), row.bears_on().end(), [&scenario](int transport) {
        return std::any_of(scenario.flow().begin(), scenario.flow().end(),
                           [transport](const Scenario::Flow& flow) {
                             return flow.transport() == transport;
                           });
      });
}

// "3 inside (a, b, c)"; nothing if there are none.
void AddVerdict(const char* verdict, const std::vector<std::string>& names,
                std::vector<std::string>& parts) {
  if (names.empty()) return;
  parts.push_back(absl::StrCat(names.size(), " ", verdict, " (",
                               absl::StrJoin(names, ", "), ")"));
}

}  // namespace

std::string RecordText(const ValidationTable& table) {
  std::string text;
  VSOCK_CHECK(google::protobuf::TextFormat::PrintToString(table, &text));
  return absl::StrCat(
      "# Written by `./bazelw run //sim:validate -- --record=FILE`.\n", text);
}

absl::StatusOr<ValidationTable> ReadRecord() {
  const absl::StatusOr<std::string> path = DataPath(kRecord);
  if (!path.ok()) return path.status();
  ValidationTable table;
  const absl::Status status = TextSource(*path).ReadInto(table);
  if (!status.ok()) return status;
  return table;
}

std::string BearingText(const ValidationTable& table,
                        const Scenario& scenario) {
  std::vector<std::string> names[ValidationRow::Verdict_ARRAYSIZE];
  for (const ValidationRow& row : table.row()) {
    if (Bears(row, scenario)) names[row.verdict()].push_back(row.name());
  }
  std::vector<std::string> parts;
  AddVerdict("inside", names[ValidationRow::INSIDE], parts);
  AddVerdict("miss", names[ValidationRow::MISSES], parts);
  AddVerdict("derived", names[ValidationRow::DERIVED], parts);
  AddVerdict("wait", names[ValidationRow::WAITS], parts);
  return absl::StrCat(
      "Validation rows that bear on this (docs/validation.md): ",
      parts.empty() ? "none" : absl::StrJoin(parts, "; "), ".");
}

}  // namespace sim
