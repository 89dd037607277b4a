// Faults D3 and D8 of the field, on packed rings: a wrap counter that is wrong
// when a chain fills the ring exactly, and indices that are not back at the
// start after a reset, or are read from memory that the peer can write.

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/packed_context.h"
#include "tests/virtqueue/ring_oracle.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint32_t kChains = 20'000;

class D3WrapTest : public testing::TestWithParam<uint16_t> {
 protected:
  RingOracle oracle_{
      {.format = RingFormat::kPacked, .size = GetParam(), .event_idx = true},
      /*chain_bytes=*/GetParam()};

  // A chain of so many buffers goes all the way.
  void Transfer(uint32_t length) {
    oracle_.Add({std::vector<uint32_t>(length - 1, 1), {1}});
    oracle_.PublishAdded();
    oracle_.Pop();
    oracle_.PushOldest();
    oracle_.PublishUsed();
    oracle_.Collect();
  }
};

TEST_P(D3WrapTest, ChainsThatFillTheRingExactlyKeepTheCountersRight) {
  for (uint32_t i = 0; i < kChains / GetParam(); ++i) Transfer(GetParam());

  EXPECT_EQ(oracle_.difference(), "");
  EXPECT_EQ(oracle_.collected(), kChains / GetParam());
}

TEST_P(D3WrapTest, ChainsOfEachLengthInTurnKeepTheCountersRight) {
  for (uint32_t i = 0; i < kChains / GetParam(); ++i) {
    Transfer(1 + i % GetParam());
  }

  EXPECT_EQ(oracle_.difference(), "");
  EXPECT_EQ(oracle_.collected(), kChains / GetParam());
}

TEST_P(D3WrapTest, FullRingOfChainsOfOneKeepsTheCountersRight) {
  for (uint32_t i = 0; i < 10; ++i) {
    for (uint16_t j = 0; j < GetParam(); ++j) oracle_.Add({{}, {1}});
    oracle_.Drain();
  }

  EXPECT_EQ(oracle_.difference(), "");
  EXPECT_EQ(oracle_.collected(), 10u * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes, D3WrapTest, testing::Values(1, 3, 4, 5, 256),
                         testing::PrintToStringParamName());

TEST(D8ResetTest, QueuesMadeAnewStartAtTheFirstSlotOfTheFirstLap) {
  PackedDriverContext context({.size = 3});
  for (uint16_t slot = 0; slot < 2; ++slot) {
    context.Send();
    context.Use(slot, context.IdAt(slot), 1);
    context.driver.Collect();
  }

  context.driver =
      *DriverQueue::Create(context.heap.memory(), context.addrs, {.size = 3});
  DeviceQueue device =
      *DeviceQueue::Create(context.heap.memory(), context.addrs, {.size = 3});

  Chain chain;
  EXPECT_EQ(device.Pop(chain), PopResult::kEmpty);
  EXPECT_FALSE(context.driver.Collect().has_value());
  context.Send();
  EXPECT_EQ(context.ring.Read(0).flags, 0x0080 | kDescWrite);
}

TEST(D8ResetTest, DeviceDoesNotReadBackItsOwnDescriptors) {
  PackedDeviceContext context({.size = 3});
  for (uint16_t id = 0; id < 4; ++id) {
    context.Offer({{.addr = kBuffers, .len = 1}}, id);
    ASSERT_EQ(context.PopAndUse(), PopResult::kChain);
    context.ring.Write(id % 3, {.len = 9, .id = 77, .flags = 0});
  }

  context.Offer({{.addr = kBuffers, .len = 1}}, /*id=*/5);
  context.PopAndUse();

  EXPECT_EQ(context.ring.Read(1).id, 5);
  EXPECT_EQ(context.ring.Read(1).flags, 0x0000);
}

}  // namespace
}  // namespace virtqueue
