#include "sim/text_table.h"

#include "gtest/gtest.h"

namespace sim {
namespace {

TEST(TextTableTest, AlignsTheFirstColumnLeftAndTheOthersRight) {
  TextTable table;
  table.AddRow({"what", "a", "bb"});
  table.AddRow({"x", "1000", "2"});

  EXPECT_EQ(table.ToString(),
            "what     a  bb\n"
            "x     1000   2\n");
}

TEST(TextTableTest, DrawsRulesAcrossAndLetsHeadingsRunOver) {
  TextTable table;
  table.AddRow({"ab", "c"});
  table.AddRule();
  table.AddHeading("a heading that is longer than the table");

  EXPECT_EQ(table.ToString(),
            "ab  c\n"
            "-----\n"
            "a heading that is longer than the table\n");
}

TEST(TextTableTest, LeavesNoSpaceAtTheEndOfALine) {
  TextTable table;
  table.AddRow({"a", "b"});
  table.AddRow({"longer", ""});

  EXPECT_EQ(table.ToString(), "a       b\nlonger\n");
}

}  // namespace
}  // namespace sim
