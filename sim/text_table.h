// text_table.h: rows and columns for people.

#ifndef SIM_TEXT_TABLE_H_
#define SIM_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace sim {

// The first column is aligned to the left, the others to the right; each is as
// wide as its widest cell.
class TextTable {
 public:
  void AddRow(std::vector<std::string> cells);

  // A line across.
  void AddRule();

  // A line of text across, not counted for the widths.
  void AddHeading(std::string text);

  std::string ToString() const;

 private:
  enum class Kind { kCells, kRule, kHeading };
  struct Row {
    Kind kind;
    std::vector<std::string> cells;
  };

  std::vector<size_t> Widths() const;

  std::vector<Row> rows_;
};

}  // namespace sim

#endif  // SIM_TEXT_TABLE_H_
