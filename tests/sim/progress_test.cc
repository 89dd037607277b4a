#include "sim/progress.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

TEST(ProgressTest, EstimatesWhatIsLeftFromWhatIsDone) {
  EXPECT_EQ(ProgressText(9, 27, absl::Seconds(3)),
            "9 of 27 runs, about 6 s left");
  EXPECT_EQ(ProgressText(27, 27, absl::Seconds(3)),
            "27 of 27 runs, about 0 s left");
}

TEST(ProgressTest, PromisesNothingBeforeTheFirstRun) {
  EXPECT_EQ(ProgressText(0, 27, absl::Seconds(3)), "0 of 27 runs");
}

}  // namespace
}  // namespace sim
