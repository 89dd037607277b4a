// Fault D7 of the field: ring indices that are lost on import. Either half, or
// both, saved at any point and made anew: what follows is as if it had not
// been.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/dice.h"
#include "tests/virtqueue/ring_run.h"
#include "virtqueue/ring_format.h"

namespace {

constexpr auto kPacked = virtqueue::RingFormat::kPacked;
constexpr uint32_t kOperations = 1 << 17;

// Points for each ring. More on demand:
//
//   bazel test -c opt //tests/virtqueue:save_restore_test
//       --test_env=SAVE_POINTS=1000
uint64_t Points() {
  const char* value = std::getenv("SAVE_POINTS");
  return value == nullptr ? 1 : std::stoull(value);
}

// Runs of the same numbers, side by side.
class Runs {
 public:
  Runs(const RingRun::Ring& ring, uint32_t count, uint64_t seed) : dice_(seed) {
    for (uint32_t i = 0; i < count; ++i) {
      runs_.push_back(std::make_unique<RingRun>(ring));
    }
  }

  RingRun& operator[](size_t i) { return *runs_[i]; }

  // The same call of all; that they said the same and left the same bytes.
  void Step() {
    const uint64_t number = dice_.Next();
    for (const auto& run : runs_) run->Step(number);
    for (const auto& run : runs_) {
      ASSERT_EQ(run->said(), runs_[0]->said());
      ASSERT_EQ(std::memcmp(run->bytes().data(), runs_[0]->bytes().data(),
                            run->bytes().size()),
                0);
    }
  }

  Dice& dice() { return dice_; }

 private:
  Dice dice_;
  std::vector<std::unique_ptr<RingRun>> runs_;
};

class D7SaveRestoreTest : public testing::TestWithParam<RingRun::Ring> {};

TEST_P(D7SaveRestoreTest, EachHalfAndBothAtOnceGoOnFromARandomPoint) {
  for (uint64_t point = 0; point < Points(); ++point) {
    SCOPED_TRACE(point);
    Runs runs(GetParam(), 4, /*seed=*/point);
    for (uint32_t i = runs.dice().Below(5000); i > 0; --i) runs.Step();

    runs[1].RestoreDriver();
    runs[2].RestoreDevice();
    runs[3].RestoreFrom(runs[0]);

    for (uint32_t i = 0; i < kOperations && !HasFatalFailure(); ++i) {
      runs.Step();
    }
    EXPECT_GT(runs[0].collected(), 1000u);
  }
}

TEST_P(D7SaveRestoreTest, EachHalfAndBothAtOnceGoOnFromEveryPoint) {
  Runs runs(GetParam(), 4, /*seed=*/101);
  for (uint32_t i = 0; i < 2000 && !HasFatalFailure(); ++i) {
    runs[1].RestoreDriver();
    runs[2].RestoreDevice();
    runs[3].RestoreFrom(runs[0]);

    runs.Step();
  }
}

TEST_P(D7SaveRestoreTest, StateOfWhatWasRestoredIsTheStateItCameFrom) {
  Runs runs(GetParam(), 2, /*seed=*/102);
  for (uint32_t i = 0; i < 1000; ++i) {
    runs.Step();
    runs[1].RestoreFrom(runs[0]);

    ASSERT_EQ(runs[1].SaveDriver(), runs[0].SaveDriver());
    ASSERT_EQ(runs[1].SaveDevice(), runs[0].SaveDevice());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rings, D7SaveRestoreTest,
    testing::Values(RingRun::Ring{"One", {}, 1},
                    RingRun::Ring{"EventIdx8", {}, 8, true},
                    RingRun::Ring{"Indirect8", {}, 8, false, 4},
                    RingRun::Ring{"EventIdxIndirect32", {}, 32, true, 5},
                    RingRun::Ring{"InOrderEventIdxIndirect8",
                                  {},
                                  8,
                                  true,
                                  3,
                                  /*in_order=*/true},
                    RingRun::Ring{"PackedInOrderEventIdx7", kPacked, 7, true, 0,
                                  /*in_order=*/true},
                    RingRun::Ring{"PackedOne", kPacked, 1},
                    RingRun::Ring{"PackedEventIdx7", kPacked, 7, true},
                    RingRun::Ring{"PackedIndirect5", kPacked, 5, false, 4},
                    RingRun::Ring{"PackedEventIdxIndirect33", kPacked, 33, true,
                                  5}),
    [](const auto& test) { return test.param.name; });

}  // namespace
