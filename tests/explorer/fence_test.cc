// Each memory order that the rings ask for is needed: with any one of them
// weaker, some order of driver and device loses a notification or reads what
// was not written yet. Where one is not, its name stands here.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/explorer/act.h"
#include "tests/explorer/each_ring.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/place.h"
#include "tests/explorer/report.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"
#include "tests/support/spec.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMostStates = 5'000'000;

constexpr HalfName kHalves[] = {HalfName::kDriver, HalfName::kDevice};

using Names = std::vector<std::string>;
using Outcome = Explorer::Outcome;

class FenceTest : public EachRing {
 protected:
  // How `scene` ends if that site has the order `to`.
  Report With(const Scene& scene, const Site& site,
              std::memory_order to) const {
    return ExploreFewest(OnRing(scene), Weakened{site, to}, kMostStates);
  }

  // What may be weaker, and nothing comes of it.
  Names NotNeeded(const Scene& scene) const {
    Names names;
    for (const Site& site : SitesOf(OnRing(scene), kMostStates)) {
      for (const std::memory_order order : site.Weaker()) {
        const Report report = With(scene, site, order);
        EXPECT_NE(report.outcome, Outcome::kUndecided) << report.text;
        const bool sound = report.outcome == Outcome::kSound;
        if (sound) names.push_back(Weakened{site, order}.text());
      }
    }
    return names;
  }

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
    if (event_idx()) part = driver ? Part::kAvailEvent : Part::kUsedEvent;
    if (packed()) part = driver ? Part::kDeviceEvents : Part::kDriverEvents;
    return {half, ActKind::kLoad, part, std::memory_order_seq_cst};
  }

  // That of all descriptors of a batch but the first. They become visible
  // before that one, whose store is seq_cst, and nobody looks at them earlier,
  // so their release, which costs nothing on x86, is not needed.
  Names ReleaseOfOthers(const std::vector<HalfName>& halves) const {
    Names names;
    for (const HalfName half : halves) {
      const Site others = {half, ActKind::kStore, Part::kPackedTail,
                           std::memory_order_release};
      if (!packed()) continue;
      names.push_back(Weakened{others, std::memory_order_relaxed}.text());
    }
    return names;
  }
};

TEST_P(FenceTest, NoneCanBeWeaker) {
  EXPECT_EQ(NotNeeded({.buffers = 2}), Names());
}

// If one of those that follow fails, the table in docs/interleavings.md is
// wrong.

TEST_P(FenceTest, InABatchNoneButThatOfOtherDescriptorsCanBeWeaker) {
  EXPECT_THAT(NotNeeded({.buffers = 3, .batch = 2}),
              testing::UnorderedElementsAreArray(
                  ReleaseOfOthers({HalfName::kDriver, HalfName::kDevice})));
}

// The device has no others then: one is for the whole batch.
TEST_P(FenceTest, InOrderNoneButThatOfTheDriversOthersCanBeWeaker) {
  EXPECT_EQ(NotNeeded({.buffers = 3, .batch = 2, .in_order = true}),
            ReleaseOfOthers({HalfName::kDriver}));
}

TEST_P(FenceTest, WithIndirectTablesNoneCanBeWeaker) {
  EXPECT_EQ(NotNeeded({.shape = Shape::kBoth, .indirect = true}), Names());
}

TEST_P(FenceTest, InOrderWithTablesNoneButThatOfTheDriversOthersCanBeWeaker) {
  EXPECT_EQ(NotNeeded({.shape = Shape::kBoth,
                       .buffers = 3,
                       .batch = 2,
                       .in_order = true,
                       .indirect = true}),
            ReleaseOfOthers({HalfName::kDriver}));
}

// Nobody waits for the device then, so it needs no barrier between its index,
// which is still a release, and the driver's wish.
TEST_P(FenceTest, WithADriverThatPollsTheDevicesBarrierIsNotNeeded) {
  const Site wish = LoadsWish(HalfName::kDevice);
  const Site index = Shows(HalfName::kDevice);

  EXPECT_THAT(NotNeeded({.buffers = 2, .polling = true}),
              testing::UnorderedElementsAre(
                  Weakened{wish, std::memory_order_acquire}.text(),
                  Weakened{wish, std::memory_order_relaxed}.text(),
                  Weakened{index, std::memory_order_release}.text()));
}

TEST_P(FenceTest, BarrierBeforeTheIndexKeepsTheDeviceFromReadingTooEarly) {
  Spec("1.3", "2.7.13.3.1", Level::kMust);
  Spec("1.3", "2.8.21.1.1", Level::kMust);

  for (const HalfName half : kHalves) {
    const Report report = With({}, Shows(half), std::memory_order_relaxed);
    EXPECT_EQ(report.outcome, Outcome::kFault) << report.text;
  }
}

TEST_P(FenceTest, BarrierBeforeTheWishIsReadKeepsANotificationFromBeingLost) {
  Spec("1.3", "2.7.13.4.1", Level::kMust);
  Spec("1.3", "2.8.21.3.1", Level::kMust);

  for (const HalfName half : kHalves) {
    const Report index = With({}, Shows(half), std::memory_order_release);
    const Report wish = With({}, LoadsWish(half), std::memory_order_acquire);
    EXPECT_EQ(index.outcome, Outcome::kLost) << index.text;
    EXPECT_EQ(wish.outcome, Outcome::kLost) << wish.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Suppression, FenceTest, EachRing::All(),
                         EachRing::Name);

}  // namespace
}  // namespace virtqueue
