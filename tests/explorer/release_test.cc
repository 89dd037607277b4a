// What the release of an index, and the acquire at its other end, protect: the
// words that are read too early if they alone are left out of it.

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

namespace virtqueue {
namespace {

constexpr uint64_t kMostStates = 1'000'000;

class ReleaseTest : public EachRing {
 protected:
  using Words = std::vector<std::string>;

  // The store that shows buffers of `half`, and the load that sees them.
  Site Release(HalfName half) const {
    return {half, ActKind::kStore, Index(half), std::memory_order_seq_cst};
  }
  Site Acquire(HalfName half) const {
    return {OtherHalf(half), ActKind::kLoad, Index(half),
            std::memory_order_acquire};
  }

  // What is read too early in `scene` if `site` is relaxed for that.
  Words ReadEarly(const Scene& scene, const Site& site) const {
    Words early;
    for (const std::string& word : WordsOf(OnRing(scene))) {
      const Weakened weakened = {site, std::memory_order_relaxed, word};
      const Report report = Explore(OnRing(scene), weakened, kMostStates);
      EXPECT_NE(report.outcome, Explorer::Outcome::kUndecided) << report.text;
      const bool fault = report.outcome == Explorer::Outcome::kFault;
      if (fault) early.push_back(word);
    }
    return early;
  }

 private:
  Part Index(HalfName half) const {
    if (packed()) return Part::kPackedTail;
    return half == HalfName::kDriver ? Part::kAvailIdx : Part::kUsedIdx;
  }
};

// Avail ring[0] is 0 before and after, so nobody can tell.
TEST_P(ReleaseTest, DriversIndexShowsTheTableWithTheDescriptorThatRefersToIt) {
  const Scene scene = {.shape = Shape::kBoth, .buffers = 1, .indirect = true};
  Words words = {"desc addr[0]", "table addr[0]", "table addr[1]",
                 "request[0]"};
  const Words seconds =
      packed() ? Words{"table[0]", "table[1]"}
               : Words{"desc rest[0]", "table rest[0]", "table rest[1]"};
  words.insert(words.end(), seconds.begin(), seconds.end());

  EXPECT_THAT(ReadEarly(scene, Release(HalfName::kDriver)),
              testing::UnorderedElementsAreArray(words));
  EXPECT_THAT(ReadEarly(scene, Acquire(HalfName::kDriver)),
              testing::UnorderedElementsAreArray(words));
}

TEST_P(ReleaseTest, DevicesIndexShowsAllChainsOfABatchThatOneElementIsFor) {
  const Scene scene = {.buffers = 2, .batch = 2, .in_order = true};
  Words words = {"reply[0]", "reply[1]"};
  if (!packed()) words.insert(words.end(), {"used id[0]", "used len[0]"});

  EXPECT_THAT(ReadEarly(scene, Release(HalfName::kDevice)),
              testing::UnorderedElementsAreArray(words));
  EXPECT_THAT(ReadEarly(scene, Acquire(HalfName::kDevice)),
              testing::UnorderedElementsAreArray(words));
}

INSTANTIATE_TEST_SUITE_P(Suppression, ReleaseTest, EachRing::All(),
                         EachRing::Name);

}  // namespace
}  // namespace virtqueue
