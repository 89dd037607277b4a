#include "sim/validation/table_text.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "sim/number_text.h"
#include "sim/report_text.h"
#include "sim/text_table.h"

namespace sim {
namespace {

constexpr size_t kVerdicts = ValidationRow::Verdict_ARRAYSIZE;

constexpr std::array<absl::string_view, kVerdicts> kVerdictText = {
    "inside", "MISSES", "waits", "derived"};

std::string CauseText(const ValidationRow& row) {
  if (!row.has_hangs_on()) return "-";
  return absl::StrFormat("%s (%+.2f)", row.hangs_on(), row.rank_correlation());
}

std::vector<std::string> Cells(const ValidationRow& row) {
  const absl::string_view verdict = kVerdictText[row.verdict()];
  if (row.verdict() == ValidationRow::WAITS) {
    return {row.claim(), row.published(), "-", "-", std::string(verdict), "-"};
  }
  return {row.claim(),
          row.published(),
          Short(row.median()),
          absl::StrCat(Short(row.low()), " .. ", Short(row.high())),
          std::string(verdict),
          CauseText(row)};
}

// Each note once, behind the names of all rows that bear it.
std::string NotesText(const ValidationTable& table) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;
  for (const ValidationRow& row : table.row()) {
    if (row.note().empty()) continue;
    if (notes.empty() || notes.back().first != row.note()) {
      notes.push_back({row.note(), {}});
    }
    notes.back().second.push_back(row.name());
  }
  std::string text;
  for (const auto& [note, names] : notes) {
    absl::StrAppend(
        &text, "\n",
        Wrap(absl::StrCat(absl::StrJoin(names, ", "), ": ", note, ".")));
  }
  return text;
}

}  // namespace

std::string VerdictsText(const ValidationTable& table) {
  std::array<int, kVerdicts> count = {};
  for (const ValidationRow& row : table.row()) ++count[row.verdict()];
  return absl::StrCat(
      table.row_size(), " claims: ", count[ValidationRow::INSIDE], " inside, ",
      count[ValidationRow::MISSES], " miss, ", count[ValidationRow::DERIVED],
      " derived, ", count[ValidationRow::WAITS], " wait");
}

std::string TableText(const ValidationTable& table) {
  TextTable text;
  text.AddRow({"claim", "published", "predicted", "90 % interval", "",
               "hangs on (rank correlation)"});
  absl::string_view source;
  for (const ValidationRow& row : table.row()) {
    if (row.source() != source) {
      text.AddRule();
      text.AddHeading(row.source());
      source = row.source();
    }
    text.AddRow(Cells(row));
  }
  text.AddRule();
  return absl::StrCat(text.ToString(), VerdictsText(table), "\n",
                      NotesText(table));
}

}  // namespace sim
