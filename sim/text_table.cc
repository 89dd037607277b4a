#include "sim/text_table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace sim {
namespace {

constexpr size_t kGap = 2;

std::string Pad(size_t width, size_t used) {
  return std::string(width > used ? width - used : 0, ' ');
}

std::string Line(const std::vector<std::string>& cells,
                 const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string pad = Pad(widths[i], cells[i].size());
    line += i == 0 ? cells[i] + pad : std::string(kGap, ' ') + pad + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  rows_.push_back({Kind::kCells, std::move(cells)});
}

void TextTable::AddRule() { rows_.push_back({Kind::kRule, {}}); }

void TextTable::AddHeading(std::string text) {
  rows_.push_back({Kind::kHeading, {std::move(text)}});
}

std::vector<size_t> TextTable::Widths() const {
  std::vector<size_t> widths;
  for (const Row& row : rows_) {
    if (row.kind != Kind::kCells) continue;
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  return widths;
}

std::string TextTable::ToString() const {
  const std::vector<size_t> widths = Widths();
  size_t all = 0;
  for (const size_t width : widths) all += width + kGap;
  const std::string rule(all > kGap ? all - kGap : 0, '-');
  std::string text;
  for (const Row& row : rows_) {
    switch (row.kind) {
      case Kind::kCells:
        absl::StrAppend(&text, Line(row.cells, widths), "\n");
        break;
      case Kind::kRule:
        absl::StrAppend(&text, rule, "\n");
        break;
      case Kind::kHeading:
        absl::StrAppend(&text, row.cells[0], "\n");
        break;
    }
  }
  return text;
}

}  // namespace sim
