// Long random runs against the oracle, past the wraps of the indices, with
// chains of every shape. A run is its seed.

#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/ring_oracle.h"
#include "virtqueue/ring_format.h"

namespace {

constexpr auto kPacked = virtqueue::RingFormat::kPacked;

// SplitMix64: one 64-bit state, every seed is good.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}

  uint32_t Below(uint32_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<uint32_t>((z ^ (z >> 31)) % bound);
  }

 private:
  uint64_t state_;
};

constexpr uint32_t kMostBuffers = 6;
constexpr uint32_t kMostBytes = 20;  // of a buffer

std::vector<uint32_t> Lengths(Dice& dice, uint32_t count) {
  std::vector<uint32_t> lens(count);
  for (uint32_t& len : lens) len = dice.Below(kMostBytes + 1);
  return lens;
}

// Mostly one buffer; now and then none, or more than a small ring holds.
RingOracle::Shape ShapeOf(Dice& dice) {
  if (dice.Below(2) == 0) return {Lengths(dice, dice.Below(2)), {1}};
  return {Lengths(dice, dice.Below(kMostBuffers / 2 + 1)),
          Lengths(dice, dice.Below(kMostBuffers / 2 + 1))};
}

void Step(Dice& dice, RingOracle& oracle) {
  switch (dice.Below(20)) {
    case 0:
      return oracle.DriverEnable();
    case 1:
      return oracle.DriverEnableDelayed();
    case 2:
      return oracle.DriverDisable();
    case 3:
      return oracle.DeviceEnable();
    case 4:
      return oracle.DeviceDisable();
    case 5:
      return oracle.PutBackNewest();
    case 6:
    case 7:
      return oracle.PublishAdded();
    case 8:
    case 9:
      return oracle.PublishUsed();
    case 10:
      return oracle.PushNewest();
    case 11:
    case 12:
      return oracle.PushOldest();
    case 13:
    case 14:
      return oracle.Pop();
    case 15:
    case 16:
      return oracle.Collect();
    default:
      return oracle.Add(ShapeOf(dice));
  }
}

struct Run {
  std::string name;
  uint64_t seed = 0;
  RingOracle::Ring ring;

  friend std::ostream& operator<<(std::ostream& out, const Run& run) {
    return out << run.name;
  }
};

// Chains that go all the way: past a wrap of a split ring's index.
constexpr uint64_t kChains = 65536 + 1000;

// Operations that are compared, if that takes more of them. On demand:
//
//   ./bazelw test -c opt //tests/virtqueue:ring_random_test
//       --test_env=RING_OPERATIONS=10000000
uint64_t Operations() {
  const char* value = std::getenv("RING_OPERATIONS");
  return value == nullptr ? 0 : std::stoull(value);
}

class RingRandomTest : public testing::TestWithParam<Run> {};

TEST_P(RingRandomTest, IsAsTheOraclePastAWrapOfTheIndex) {
  const uint64_t operations = Operations();
  Dice dice(GetParam().seed);
  RingOracle oracle(GetParam().ring, kMostBuffers * kMostBytes);

  for (uint64_t i = 0; i < operations || oracle.collected() < kChains; ++i) {
    Step(dice, oracle);
    ASSERT_EQ(oracle.difference(), "") << "seed " << GetParam().seed;
  }

  oracle.Drain();
  EXPECT_EQ(oracle.difference(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, RingRandomTest,
    testing::Values(
        Run{"OneEntry", 1, {.size = 1}},
        Run{"TwoEntriesEventIdx", 2, {.size = 2, .event_idx = true}},
        Run{"Eight", 3, {.size = 8}},
        Run{"EightEventIdxIndirect",
            4,
            {.size = 8, .event_idx = true, .indirect_table_entries = 4}},
        Run{"EventIdx256", 5, {.size = 256, .event_idx = true}},
        Run{"Indirect256", 6, {.size = 256, .indirect_table_entries = 6}},
        Run{"Largest",
            7,
            {.size = 32768, .event_idx = true, .indirect_table_entries = 3}},
        Run{"PackedOneSlot", 8, {.format = kPacked, .size = 1}},
        Run{"PackedThreeEventIdx",
            9,
            {.format = kPacked, .size = 3, .event_idx = true}},
        Run{"PackedFive", 10, {.format = kPacked, .size = 5}},
        Run{"PackedSevenEventIdxIndirect",
            11,
            {.format = kPacked,
             .size = 7,
             .event_idx = true,
             .indirect_table_entries = 4}},
        Run{"PackedEventIdx20",
            12,
            {.format = kPacked, .size = 20, .event_idx = true}},
        Run{"PackedEventIdxIndirect257",
            13,
            {.format = kPacked,
             .size = 257,
             .event_idx = true,
             .indirect_table_entries = 3}},
        Run{"InOrderEightIndirect",
            14,
            {.size = 8, .indirect_table_entries = 4, .in_order = true}},
        Run{"InOrderSixteenEventIdx",
            15,
            {.size = 16, .event_idx = true, .in_order = true}},
        Run{"PackedInOrderThree",
            16,
            {.format = kPacked, .size = 3, .in_order = true}},
        Run{"PackedInOrderSevenEventIdxIndirect",
            17,
            {.format = kPacked,
             .size = 7,
             .event_idx = true,
             .indirect_table_entries = 4,
             .in_order = true}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
