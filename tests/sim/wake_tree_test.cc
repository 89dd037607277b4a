#include "sim/wake_tree.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/random.h"

namespace sim {
namespace {

// What the tree must agree with: a sorted set of (time, request, slot).
class SortedWakes {
 public:
  void Set(uint32_t slot, uint64_t at, uint64_t request) {
    Clear(slot);
    by_slot_[slot] = {at, request};
    sorted_.insert({{at, request}, slot});
  }
  void Clear(uint32_t slot) {
    if (const auto it = by_slot_.find(slot); it != by_slot_.end()) {
      sorted_.erase({it->second, slot});
      by_slot_.erase(it);
    }
  }
  bool empty() const { return sorted_.empty(); }
  uint64_t at() const { return sorted_.begin()->first.first; }
  uint32_t slot() const { return sorted_.begin()->second; }

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  std::map<uint32_t, Key> by_slot_;
  std::set<std::pair<Key, uint32_t>> sorted_;
};

void ExpectSameTop(const WakeTree& tree, const SortedWakes& oracle) {
  ASSERT_EQ(tree.top().never(), oracle.empty());
  if (oracle.empty()) return;
  ASSERT_EQ(tree.top().at(), oracle.at());
  ASSERT_EQ(tree.top().slot(), oracle.slot());
}

TEST(WakeTreeTest, WaitsForNothingAtFirst) {
  WakeTree tree;

  EXPECT_TRUE(tree.top().never());
  EXPECT_FALSE(tree.waits(0));
}

TEST(WakeTreeTest, EqualTimesComeInRequestOrderWhateverTheSlot) {
  WakeTree tree;
  tree.Resize(3);

  tree.Set(2, /*at=*/5, /*request=*/0);
  tree.Set(0, /*at=*/5, /*request=*/1);

  EXPECT_EQ(tree.top().slot(), 2u);
}

TEST(WakeTreeTest, TakenSlotNeedsOnlySettlingWhenItWaitsForNothing) {
  WakeTree tree;
  tree.Resize(2);
  tree.Set(0, /*at=*/1, /*request=*/0);
  tree.Set(1, /*at=*/2, /*request=*/1);

  EXPECT_EQ(tree.Take().slot(), 0u);
  EXPECT_FALSE(tree.waits(0));
  tree.Settle(0);

  EXPECT_EQ(tree.top().slot(), 1u);
}

TEST(WakeTreeTest, GrowingKeepsWhatIsWaitedFor) {
  WakeTree tree;
  SortedWakes oracle;
  Random random(1);

  for (uint32_t slot = 0; slot < 300; ++slot) {
    tree.Resize(slot + 1);
    const auto at = static_cast<uint64_t>(random.Uniform(0, 1000));
    tree.Set(slot, at, slot);
    oracle.Set(slot, at, slot);
    ExpectSameTop(tree, oracle);
  }
}

TEST(WakeTreeTest, AgreesWithASortedSetThroughAnyOperations) {
  for (const uint32_t slots : {1u, 2u, 3u, 7u, 8u, 33u, 100u}) {
    WakeTree tree;
    tree.Resize(slots);
    SortedWakes oracle;
    Random random(slots);
    for (uint64_t request = 0; request < 20'000; ++request) {
      const auto slot = static_cast<uint32_t>(random.Uniform(0, slots - 1));
      const auto at = static_cast<uint64_t>(random.Uniform(0, 50));
      if (random.OneIn(3)) {
        tree.Clear(slot);
        oracle.Clear(slot);
      } else {
        tree.Set(slot, at, request);
        oracle.Set(slot, at, request);
      }
      ExpectSameTop(tree, oracle);
    }
  }
}

TEST(WakeTreeTest, ContenderIsTheFirstOfTheSlotsNearby) {
  WakeTree tree;
  tree.Resize(64);  // two by two below depth 5
  tree.Set(10, /*at=*/5, /*request=*/0);
  tree.Set(12, /*at=*/1, /*request=*/1);

  tree.Set(11, /*at=*/7, /*request=*/2);

  EXPECT_EQ(tree.Contender(11), 10u);
}

TEST(WakeTreeTest, ContenderOfFewSlotsIsTheSlot) {
  WakeTree tree;
  tree.Resize(2);
  tree.Set(1, /*at=*/5, /*request=*/0);

  EXPECT_EQ(tree.Contender(1), 1u);
}

TEST(WakeTreeTest, HoldsTheLastInstantAndTheLastRequest) {
  WakeTree tree;
  tree.Resize(2);
  const uint64_t last_instant = INT64_MAX;

  tree.Set(1, last_instant, WakeTree::Entry::kMaxRequests - 1);

  EXPECT_EQ(tree.top().at(), last_instant);
  EXPECT_EQ(tree.top().slot(), 1u);
  EXPECT_FALSE(tree.top().never());
}

}  // namespace
}  // namespace sim
