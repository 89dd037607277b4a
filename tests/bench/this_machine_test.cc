#include "bench/this_machine.h"

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace bench {
namespace {

TEST(ThisMachineTest, NamesTheKernelByItsFirstTwoNumbers) {
  const std::string machine = ThisMachine();

  EXPECT_TRUE(absl::StrContains(machine, "Linux ")) << machine;
  EXPECT_TRUE(absl::StrContains(machine, " processors")) << machine;
}

TEST(ThisMachineTest, SettingThatIsNotThereHasTheValueGiven) {
  EXPECT_EQ(SystemSetting("net/core/no_such_setting", 17), 17u);
}

TEST(ThisMachineTest, DayIsTenCharactersLong) {
  EXPECT_EQ(Today().size(), std::string("2026-11-30").size());
}

}  // namespace
}  // namespace bench
