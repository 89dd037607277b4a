#include "sim/validation/cost_draw.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sim/costs.h"
#include "sim/files.h"
#include "sim/platform_loader.h"

namespace sim {
namespace {

Platform LinuxKvm() {
  return *ReadPlatform(*DataPath("sim/platforms/linux_kvm.textproto"));
}

TEST(CostDrawTest, EveryCostStaysInItsRange) {
  const Platform platform = LinuxKvm();

  for (int i = 0; i < 200; ++i) {
    const Platform drawn = DrawCosts(platform, Random(1).Fork(absl::StrCat(i)));
    for (const std::string& name : CostNames()) {
      EXPECT_GE(CostOf(drawn, name).mode(), CostOf(platform, name).low());
      EXPECT_LE(CostOf(drawn, name).mode(), CostOf(platform, name).high());
    }
  }
}

// A triangle over 1000, 2000, 3000 has its mean at 2000 and a standard
// deviation of 1000 / sqrt(6) = 408, so the mean of 2000 draws is within 28 at
// three standard errors.
TEST(CostDrawTest, DrawsFollowTheTriangle) {
  const Platform platform = LinuxKvm();
  double sum = 0;
  std::set<uint32_t> seen;

  for (int i = 0; i < 2000; ++i) {
    const Platform drawn = DrawCosts(platform, Random(1).Fork(absl::StrCat(i)));
    sum += drawn.kick().mode();
    seen.insert(drawn.kick().mode());
  }

  EXPECT_NEAR(sum / 2000, 2000, 28);
  EXPECT_GT(seen.size(), 500u);
}

TEST(CostDrawTest, RangeOfOneCostShiftsNoOther) {
  Platform wider = LinuxKvm();
  wider.mutable_kick()->set_high(9000);

  const Platform a = DrawCosts(LinuxKvm(), Random(5));
  const Platform b = DrawCosts(wider, Random(5));

  for (const std::string& name : CostNames()) {
    if (name == "kick") continue;
    EXPECT_EQ(CostOf(a, name).mode(), CostOf(b, name).mode()) << name;
  }
}

}  // namespace
}  // namespace sim
