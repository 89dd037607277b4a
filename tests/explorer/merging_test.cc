// Merging the nodes of a half that go on alike leaves every order of steps
// where it is: there are as many, and each weaker order of memory is found, or
// not, as it is without, by a schedule that is as short.

#include <atomic>
#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "tests/explorer/behaviour.h"
#include "tests/explorer/each_ring.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/ring_pair.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"

namespace virtqueue {
namespace {

using Nodes = Behaviour::Nodes;

constexpr uint64_t kMostStates = 1'000'000;

class MergingTest : public EachRing {
 protected:
  struct Run {
    explicit Run(const Scene& scene, Nodes nodes,
                 const std::optional<Weakened>& weakened = std::nullopt)
        : pair(scene, nodes) {
      pair.Weaken(weakened);
      result = Explorer(pair, kMostStates).Run();
    }
    RingPair pair;
    Explorer::Result result;
  };
};

TEST_P(MergingTest, LeavesEverySchedule) {
  for (const Scene& small : {
           Scene{.buffers = 2},
           Scene{.buffers = 3, .batch = 2, .in_order = true},
           Scene{.shape = Shape::kBoth, .indirect = true},
           Scene{.buffers = 2, .polling = true},
       }) {
    const Scene scene = OnRing(small);
    const Run merged(scene, Nodes::kMerged);
    const Run all(scene, Nodes::kAll);

    const double schedules = all.result.schedules;
    EXPECT_NEAR(merged.result.schedules, schedules, schedules * 1e-9);
    EXPECT_EQ(merged.result.longest, all.result.longest);
    EXPECT_EQ(merged.result.outcome, Explorer::Outcome::kSound);
    EXPECT_EQ(merged.pair.Sites(), all.pair.Sites());
    EXPECT_LT(merged.result.states, all.result.states);
  }
}

TEST_P(MergingTest, FindsAtTheSameSitesTheSameInAsFewSteps) {
  const Scene scene = OnRing({.buffers = 3, .batch = 2, .in_order = true});
  for (const Site& site : Run(scene, Nodes::kAll).pair.Sites()) {
    for (const std::memory_order order : site.Weaker()) {
      const Weakened weakened = {site, order};
      const Run merged(scene, Nodes::kMerged, weakened);
      const Run all(scene, Nodes::kAll, weakened);

      EXPECT_EQ(merged.result.outcome, all.result.outcome);
      EXPECT_EQ(merged.result.schedule.size(), all.result.schedule.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Suppression, MergingTest, EachRing::All(),
                         EachRing::Name);

}  // namespace
}  // namespace virtqueue
