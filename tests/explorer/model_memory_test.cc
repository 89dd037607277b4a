// The outcomes of the usual litmus tests of two threads, which every text on
// C++'s memory names: what may be seen, and what may not.

#include "tests/explorer/model_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/explorer/act.h"

namespace virtqueue {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

constexpr HalfName kA = HalfName::kDriver;
constexpr HalfName kB = HalfName::kDevice;
constexpr size_t kX = 0;
constexpr size_t kY = 1;

using Values = std::vector<uint64_t>;

class ModelMemoryTest : public testing::Test {
 protected:
  // What a load may return, oldest first.
  Values May(HalfName half, size_t place, std::memory_order order) const {
    Values values;
    for (const auto& stored : memory_.Visible(half, place, order)) {
      values.push_back(stored.value);
    }
    return values;
  }

  ModelMemory memory_ = ModelMemory(Values{0, 0});
};

TEST_F(ModelMemoryTest, StoreIsSeenByItsHalfAtOnceAndByTheOtherAtSomeTime) {
  memory_.Store(kA, kX, 1, kRelaxed);

  EXPECT_EQ(May(kA, kX, kRelaxed), Values({1}));
  EXPECT_EQ(May(kB, kX, kRelaxed), Values({0, 1}));
}

TEST_F(ModelMemoryTest, OneWordIsNeverReadBackwards) {
  memory_.Store(kA, kX, 1, kRelaxed);
  memory_.Store(kA, kX, 2, kRelaxed);
  memory_.Load(kB, kX, {kRelaxed, 1});

  EXPECT_EQ(May(kB, kX, kRelaxed), Values({1, 2}));
}

TEST_F(ModelMemoryTest, StoresToTwoWordsMaySwap) {
  memory_.Store(kA, kX, 1, kRelaxed);
  memory_.Store(kA, kY, 1, kRelaxed);
  memory_.Load(kB, kY, {kAcquire, 1});

  EXPECT_EQ(May(kB, kX, kRelaxed), Values({0, 1}));
}

TEST_F(ModelMemoryTest, AcquireOfAReleaseSeesWhatWasStoredBefore) {
  memory_.Store(kA, kX, 1, kRelaxed);
  memory_.Store(kA, kY, 1, kRelease);
  memory_.Load(kB, kY, {kAcquire, 1});

  EXPECT_EQ(May(kB, kX, kRelaxed), Values({1}));
}

TEST_F(ModelMemoryTest, LoadAfterARelaxedOneMayHaveBeenSatisfiedEarly) {
  memory_.Store(kA, kX, 1, kRelaxed);
  memory_.Store(kA, kY, 1, kRelease);
  memory_.Load(kB, kY, {kRelaxed, 1});

  EXPECT_EQ(May(kB, kX, kRelaxed), Values({0, 1}));
}

TEST_F(ModelMemoryTest, AcquireDoesNotSeeWhatIsStoredAfterTheRelease) {
  memory_.Store(kA, kY, 1, kRelease);
  memory_.Store(kA, kX, 1, kRelaxed);
  memory_.Load(kB, kY, {kAcquire, 1});

  EXPECT_EQ(May(kB, kX, kRelaxed), Values({0, 1}));
}

TEST_F(ModelMemoryTest, StoreBuffersHideBothStoresFromBothHalves) {
  memory_.Store(kA, kX, 1, kRelease);
  memory_.Store(kB, kY, 1, kRelease);

  EXPECT_EQ(May(kA, kY, kAcquire).front(), 0u);
  EXPECT_EQ(May(kB, kX, kAcquire).front(), 0u);
}

TEST_F(ModelMemoryTest, SeqCstLoadSeesTheSeqCstStoreBeforeIt) {
  memory_.Store(kA, kX, 1, kSeqCst);

  EXPECT_EQ(May(kB, kX, kSeqCst), Values({1}));
}

TEST_F(ModelMemoryTest, EitherWithoutTheOtherIsNoBarrier) {
  memory_.Store(kA, kX, 1, kSeqCst);
  memory_.Store(kA, kY, 1, kRelease);

  EXPECT_EQ(May(kB, kX, kAcquire), Values({0, 1}));
  EXPECT_EQ(May(kB, kY, kSeqCst), Values({0, 1}));
}

TEST_F(ModelMemoryTest, WhoIsNotifiedHasSeenAllStoresBefore) {
  memory_.Store(kA, kX, 1, kRelaxed);
  const uint32_t stores = memory_.stores(kA);
  memory_.Store(kA, kY, 1, kRelaxed);
  memory_.Acquire(kB, stores);

  EXPECT_EQ(May(kB, kX, kRelaxed), Values({1}));
  EXPECT_EQ(May(kB, kY, kRelaxed), Values({0, 1}));
}

TEST_F(ModelMemoryTest, EqualMemoriesHaveEqualNumbers) {
  ModelMemory other(Values{0, 0});
  memory_.Store(kA, kX, 1, kRelaxed);
  other.Store(kA, kX, 1, kRelaxed);
  Values numbers, same, later;
  memory_.AppendTo(numbers, {});
  other.AppendTo(same, {});
  other.Load(kB, kX, {kRelaxed, 1});
  other.AppendTo(later, {});

  EXPECT_EQ(numbers, same);
  EXPECT_NE(numbers, later);
}

}  // namespace
}  // namespace virtqueue
