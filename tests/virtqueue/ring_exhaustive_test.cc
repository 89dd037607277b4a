// All short sequences of steps on small rings, against the oracle. A sequence
// begins where the one before has left the rings, once these are empty, and of
// a split ring the first a little before the indices wrap.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/ring_oracle.h"
#include "virtqueue/ring_format.h"

namespace {

using virtqueue::RingFormat;

constexpr uint32_t kChainBytes = 8;

struct Step {
  std::string name;
  std::function<void(RingOracle&)> take;
};
using Steps = std::vector<Step>;

Step AddOf(const std::string& name, const RingOracle::Shape& shape) {
  return {name, [shape](RingOracle& oracle) { oracle.Add(shape); }};
}

// What moves chains, some of up to `longest` buffers.
Steps DataSteps(uint16_t longest) {
  Steps steps = {AddOf("add one", {{3}, {}}), AddOf("add two", {{2}, {4}})};
  for (uint16_t length = 3; length <= longest; ++length) {
    steps.push_back(AddOf("add " + std::to_string(length),
                          {std::vector<uint32_t>(length - 1u, 1), {2}}));
  }
  const Steps rest = {{"publish added", &RingOracle::PublishAdded},
                      {"pop", &RingOracle::Pop},
                      {"push oldest", &RingOracle::PushOldest},
                      {"push newest", &RingOracle::PushNewest},
                      {"put back", &RingOracle::PutBackNewest},
                      {"publish used", &RingOracle::PublishUsed},
                      {"collect", &RingOracle::Collect}};
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

// What notifies, and what suppresses it.
Steps NotificationSteps() {
  return {{"make available",
           [](RingOracle& oracle) {
             oracle.Add({{}, {1}});
             oracle.PublishAdded();
           }},
          {"use",
           [](RingOracle& oracle) {
             oracle.Pop();
             oracle.PushOldest();
           }},
          {"publish used", &RingOracle::PublishUsed},
          {"collect", &RingOracle::Collect},
          {"driver enables", &RingOracle::DriverEnable},
          {"driver enables delayed", &RingOracle::DriverEnableDelayed},
          {"driver disables", &RingOracle::DriverDisable},
          {"device enables", &RingOracle::DeviceEnable},
          {"device disables", &RingOracle::DeviceDisable}};
}

// What makes batches, some of chains that are not completely written.
Steps BatchSteps() {
  const auto make_available = [](const RingOracle::Shape& shape) {
    return [shape](RingOracle& oracle) {
      oracle.Add(shape);
      oracle.PublishAdded();
      oracle.Pop();
    };
  };
  return {{"take a readable one", make_available({{3}, {}})},
          {"take a writable one", make_available({{}, {1}})},
          {"take two", make_available({{1}, {1}})},
          {"add two",
           [](RingOracle& oracle) {
             oracle.Add({{1, 2}, {}});
           }},
          {"pop", &RingOracle::Pop},
          {"push oldest", &RingOracle::PushOldest},
          {"push newest", &RingOracle::PushNewest},
          {"put back", &RingOracle::PutBackNewest},
          {"publish used", &RingOracle::PublishUsed},
          {"collect", &RingOracle::Collect}};
}

// Sequence number `number` of all those of `length` steps.
std::vector<size_t> Sequence(const Steps& steps, size_t length,
                             uint64_t number) {
  std::vector<size_t> sequence(length);
  for (size_t& step : sequence) {
    step = number % steps.size();
    number /= steps.size();
  }
  return sequence;
}

std::string Names(const Steps& steps, const std::vector<size_t>& sequence) {
  std::string names;
  for (const size_t step : sequence) names += steps[step].name + ", ";
  return names + "drain";
}

// Chains go round until the indices are at `idx`.
void GoTo(uint16_t idx, RingOracle& oracle) {
  while (oracle.collected() < idx) {
    oracle.Add({{}, {1}});
    oracle.PublishAdded();
    oracle.Pop();
    oracle.PushOldest();
    oracle.PublishUsed();
    oracle.Collect();
  }
}

void TryAll(const Steps& steps, size_t length, RingOracle& oracle) {
  uint64_t sequences = 1;
  for (size_t i = 0; i < length; ++i) sequences *= steps.size();
  for (uint64_t number = 0; number < sequences; ++number) {
    const std::vector<size_t> sequence = Sequence(steps, length, number);
    for (const size_t step : sequence) steps[step].take(oracle);
    oracle.Drain();
    ASSERT_EQ(oracle.difference(), "") << Names(steps, sequence);
  }
}

using Param = std::tuple<uint16_t, bool, uint16_t>;

class RingExhaustiveTest : public testing::TestWithParam<Param> {
 protected:
  static RingOracle::Ring RingOf(RingFormat format) {
    const auto [size, event_idx, entries] = GetParam();
    return {.format = format,
            .size = size,
            .event_idx = event_idx,
            .indirect_table_entries = entries};
  }
};

class SplitRingExhaustiveTest : public RingExhaustiveTest {};

TEST_P(SplitRingExhaustiveTest, MovesChainsAsTheOracleDoes) {
  RingOracle oracle(RingOf(RingFormat::kSplit), kChainBytes);
  GoTo(65536 - 10000, oracle);

  TryAll(DataSteps(/*longest=*/2), /*length=*/5, oracle);

  EXPECT_GT(oracle.collected(), 65536u);  // the indices have wrapped
}

TEST_P(SplitRingExhaustiveTest, NotifiesAsTheOracleDoes) {
  RingOracle oracle(RingOf(RingFormat::kSplit), kChainBytes);
  GoTo(65536 - 10000, oracle);

  TryAll(NotificationSteps(), /*length=*/5, oracle);

  EXPECT_GT(oracle.collected(), 65536u);  // the indices have wrapped
}

class PackedRingExhaustiveTest : public RingExhaustiveTest {};

TEST_P(PackedRingExhaustiveTest, MovesChainsAsTheOracleDoes) {
  RingOracle oracle(RingOf(RingFormat::kPacked), kChainBytes);

  TryAll(DataSteps(std::get<0>(GetParam())), /*length=*/4, oracle);

  EXPECT_GT(oracle.collected(), 1000u);  // the counters have often wrapped
}

TEST_P(PackedRingExhaustiveTest, NotifiesAsTheOracleDoes) {
  RingOracle oracle(RingOf(RingFormat::kPacked), kChainBytes);

  TryAll(NotificationSteps(), /*length=*/5, oracle);

  EXPECT_GT(oracle.collected(), 1000u);
}

class InOrderExhaustiveTest : public RingExhaustiveTest {
 protected:
  static RingOracle::Ring InOrder(RingFormat format) {
    RingOracle::Ring ring = RingOf(format);
    ring.in_order = true;
    return ring;
  }
};

class SplitInOrderExhaustiveTest : public InOrderExhaustiveTest {};

TEST_P(SplitInOrderExhaustiveTest, UsesBatchesAsTheOracleDoes) {
  RingOracle oracle(InOrder(RingFormat::kSplit), kChainBytes);
  GoTo(65536 - 10000, oracle);

  TryAll(BatchSteps(), /*length=*/5, oracle);

  EXPECT_GT(oracle.collected(), 65536u);  // the indices have wrapped
}

class PackedInOrderExhaustiveTest : public InOrderExhaustiveTest {};

TEST_P(PackedInOrderExhaustiveTest, UsesBatchesAsTheOracleDoes) {
  RingOracle oracle(InOrder(RingFormat::kPacked), kChainBytes);

  TryAll(BatchSteps(), /*length=*/5, oracle);

  EXPECT_GT(oracle.collected(), 1000u);
}

std::string Name(const testing::TestParamInfo<Param>& test) {
  const auto [size, event_idx, entries] = test.param;
  return "Size" + std::to_string(size) + (event_idx ? "EventIdx" : "Flags") +
         (entries != 0 ? "Indirect" : "Direct");
}

INSTANTIATE_TEST_SUITE_P(SmallRings, SplitRingExhaustiveTest,
                         testing::Combine(testing::Values(1, 2, 4),
                                          testing::Bool(),
                                          testing::Values(0, 2)),
                         Name);

INSTANTIATE_TEST_SUITE_P(SmallRings, SplitInOrderExhaustiveTest,
                         testing::Values(Param{1, true, 2}, Param{2, false, 0},
                                         Param{2, true, 2}, Param{4, true, 0},
                                         Param{4, false, 2}),
                         Name);

INSTANTIATE_TEST_SUITE_P(SmallRings, PackedInOrderExhaustiveTest,
                         testing::Values(Param{1, true, 2}, Param{2, false, 0},
                                         Param{3, true, 0}, Param{3, false, 2},
                                         Param{4, true, 0}),
                         Name);

INSTANTIATE_TEST_SUITE_P(SmallRings, PackedRingExhaustiveTest,
                         testing::Combine(testing::Range<uint16_t>(1, 5),
                                          testing::Bool(),
                                          testing::Values(0, 2)),
                         Name);

}  // namespace
