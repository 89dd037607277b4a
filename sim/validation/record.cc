#include "sim/validation/record.h"

#include <algorithm>
#include <cstddef>
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

// The first of them; a line is no table.
std::string MissesText(const std::vector<std::string>& misses) {
  constexpr size_t kMost = 6;
  if (misses.empty()) return "";
  const size_t shown = std::min(misses.size(), kMost);
  return absl::StrCat(
      ": ", absl::StrJoin(misses.begin(), misses.begin() + shown, ", "),
      shown < misses.size() ? ", ..." : "");
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
  int bearing = 0;
  int counts[ValidationRow::Verdict_ARRAYSIZE] = {};
  std::vector<std::string> misses;
  for (const ValidationRow& row : table.row()) {
    if (!Bears(row, scenario)) continue;
    ++bearing;
    ++counts[row.verdict()];
    if (row.verdict() == ValidationRow::MISSES) misses.push_back(row.name());
  }
  if (bearing == 0) {
    return "Validation: no row of docs/validation.md bears on this";
  }
  return absl::StrCat("Validation: of ", bearing,
                      " rows of docs/validation.md on this, ",
                      counts[ValidationRow::INSIDE], " inside, ",
                      counts[ValidationRow::DERIVED], " derived, ",
                      counts[ValidationRow::WAITS], " waiting, ", misses.size(),
                      " missed", MissesText(misses));
}

}  // namespace sim
