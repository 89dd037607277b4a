#include "sim/near_names.h"

#include "gtest/gtest.h"

namespace sim {
namespace {

TEST(EditDistanceTest, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);  // Levenshtein's example
  EXPECT_EQ(EditDistance("flaw", "lawn"), 2);
}

TEST(NearNamesTest, NamesTheNearestFirst) {
  EXPECT_EQ(NearNames("siz", {"zise", "size", "format"}),
            "; did you mean size?");
  EXPECT_EQ(NearNames("counts", {"count", "counter"}),
            "; did you mean count or counter?");
}

TEST(NearNamesTest, KnowsTheSameQuantityInAnotherUnit) {
  EXPECT_EQ(NearNames("duration_minutes", {"name", "duration_us"}),
            "; did you mean duration_us?");
}

TEST(NearNamesTest, ListsAllWhenNoneIsNear) {
  EXPECT_EQ(NearNames("xyz", {"lone", "pool"}), "; there are: lone, pool");
  EXPECT_EQ(NearNames("xyz", {}), "");
}

}  // namespace
}  // namespace sim
