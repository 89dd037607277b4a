// Each memory order that the rings ask for is needed: with any one of them
// weaker, some order of driver and device loses a notification or reads what
// was not written yet.

#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/explorer/act.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/place.h"
#include "tests/explorer/report.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"
#include "tests/support/spec.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMostStates = 5'000'000;

constexpr HalfName kHalves[] = {HalfName::kDriver, HalfName::kDevice};

using Param = std::tuple<RingFormat, bool>;
using Outcome = Explorer::Outcome;

class FenceTest : public testing::TestWithParam<Param> {
 protected:
  // How it ends if that site has the order `to`.
  Outcome With(const Site& site, std::memory_order to) const {
    return ExploreFewest(scene_, Weakened{site, to}, kMostStates).outcome;
  }

  bool packed() const { return scene_.format == RingFormat::kPacked; }

  // The store that shows buffers to the other half.
  Site Shows(HalfName half) const {
    const bool driver = half == HalfName::kDriver;
    const Part index = driver ? Part::kAvailIdx : Part::kUsedIdx;
    return {half, ActKind::kStore, packed() ? Part::kPackedTail : index,
            std::memory_order_seq_cst};
  }

  // The load of the other half's wish.
  Site LoadsWish(HalfName half) const {
    const bool driver = half == HalfName::kDriver;
    Part part = driver ? Part::kUsedFlags : Part::kAvailFlags;
    if (scene_.event_idx) part = driver ? Part::kAvailEvent : Part::kUsedEvent;
    if (packed()) part = driver ? Part::kDeviceEvents : Part::kDriverEvents;
    return {half, ActKind::kLoad, part, std::memory_order_seq_cst};
  }

  const Scene scene_ = {.format = std::get<RingFormat>(GetParam()),
                        .event_idx = std::get<bool>(GetParam())};
};

TEST_P(FenceTest, NoneCanBeWeaker) {
  for (const Site& site : SitesOf(scene_, kMostStates)) {
    for (const std::memory_order order : site.Weaker()) {
      const Weakened weakened = {site, order};
      const Report report = ExploreFewest(scene_, weakened, kMostStates);
      EXPECT_TRUE(report.outcome == Outcome::kLost ||
                  report.outcome == Outcome::kFault)
          << report.text;
    }
  }
}

TEST_P(FenceTest, BarrierBeforeTheIndexKeepsTheDeviceFromReadingTooEarly) {
  Spec("1.3", "2.7.13.3.1", Level::kMust);
  Spec("1.3", "2.8.21.1.1", Level::kMust);

  for (const HalfName half : kHalves) {
    EXPECT_EQ(With(Shows(half), std::memory_order_relaxed), Outcome::kFault);
  }
}

TEST_P(FenceTest, BarrierBeforeTheWishIsReadKeepsANotificationFromBeingLost) {
  Spec("1.3", "2.7.13.4.1", Level::kMust);
  Spec("1.3", "2.8.21.3.1", Level::kMust);

  for (const HalfName half : kHalves) {
    EXPECT_EQ(With(Shows(half), std::memory_order_release), Outcome::kLost);
    EXPECT_EQ(With(LoadsWish(half), std::memory_order_acquire), Outcome::kLost);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Suppression, FenceTest,
    testing::Combine(testing::Values(RingFormat::kSplit, RingFormat::kPacked),
                     testing::Bool()),
    [](const auto& test) {
      return std::string(std::get<RingFormat>(test.param) == RingFormat::kPacked
                             ? "Packed"
                             : "Split") +
             (std::get<bool>(test.param) ? "EventIdx" : "Flags");
    });

// The others of a batch become visible before its first one, whose store is
// seq_cst, and nobody looks at them earlier. So these two orders, which cost
// nothing on x86, are not needed. If this fails, they are, and the table in
// docs/interleavings.md is wrong.
TEST(PackedBatch, OrderOfAllButTheFirstDescriptorIsNotNeeded) {
  const Scene scene = {
      .format = RingFormat::kPacked, .size = 2, .buffers = 3, .batch = 2};
  std::vector<std::string> not_needed;

  for (const Site& site : SitesOf(scene, kMostStates)) {
    const Weakened weakened = {site, site.Weaker().front()};
    const Report report = ExploreFewest(scene, weakened, kMostStates);
    if (report.outcome == Outcome::kSound) not_needed.push_back(site.name());
  }

  EXPECT_EQ(not_needed,
            std::vector<std::string>(
                {"device.store.desc.release", "driver.store.desc.release"}));
}

}  // namespace
}  // namespace virtqueue
