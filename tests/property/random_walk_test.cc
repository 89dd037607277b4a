// Thousands of random walks, one a seed. To repeat one that failed:
//
//   bazel test //tests/property:random_walk_test
//       --test_env=WALK_FIRST_SEED=1234 --test_env=WALK_SEEDS=1

#include <cstdint>
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"
#include "tests/property/walk.h"
#include "virtqueue/ring_format.h"

namespace vsock {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoull(value);
}

class RandomWalkTest : public testing::TestWithParam<virtqueue::RingFormat> {};

TEST_P(RandomWalkTest, KeepsEveryPropertyAndEveryByte) {
  const uint64_t first = FromEnvironment("WALK_FIRST_SEED", 1);
  const uint64_t seeds = FromEnvironment("WALK_SEEDS", 500);
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    Walk(seed, GetParam()).Run();
    ASSERT_FALSE(HasFailure()) << "WALK_FIRST_SEED=" << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, RandomWalkTest,
                         testing::Values(virtqueue::RingFormat::kSplit,
                                         virtqueue::RingFormat::kPacked),
                         [](const auto& test) {
                           return test.param == virtqueue::RingFormat::kPacked
                                      ? "Packed"
                                      : "Split";
                         });

}  // namespace
}  // namespace vsock
