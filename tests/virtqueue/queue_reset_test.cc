// Fault D10 of the field, below any device: a completion that arrives after the
// queue was reset. Tries DeviceQueue::Reset and Restart of either format.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/virtqueue/dice.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/ring_memory.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 4;

// Both halves, and another place for the ring.
struct Halves {
  explicit Halves(RingFormat format)
      : here(AllocateRing(memory, format, kSize)),
        there(AllocateRing(memory, format, 2 * kSize)),
        end(memory.Allocate(64, kCacheLine)),
        driver(*DriverQueue::Create(memory.memory(), here, {.size = kSize})),
        device(*DeviceQueue::Create(memory.memory(), here, {.size = kSize})) {}

  void Send(uint64_t token = 0) {
    const DriverQueue::Buffer buffer = {end, 1};
    driver.Add({}, {&buffer, 1}, token);
    driver.Publish();
  }
  Chain SendAndPop() {
    Send();
    Chain chain;
    EXPECT_EQ(device.Pop(chain), PopResult::kChain);
    return chain;
  }

  Chain SendTwoBuffersAndPop() {
    const DriverQueue::Buffer buffer = {end, 1};
    driver.Add({&buffer, 1}, {&buffer, 1}, /*token=*/0);
    driver.Publish();
    Chain chain;
    EXPECT_EQ(device.Pop(chain), PopResult::kChain);
    return chain;
  }

  // Both halves begin a new life.
  void Restart(const RingAddrs& at, uint16_t size) {
    driver = *DriverQueue::Create(memory.memory(), at, {.size = size});
    EXPECT_TRUE(device.Restart(memory.memory(), at, {.size = size}).ok());
  }

  std::vector<std::byte> Bytes() const {
    const absl::Span<std::byte> all = memory.memory().TrySlice(
        GuestAddr(0x10000), static_cast<uint32_t>(end.value() - 0x10000));
    return {all.begin(), all.end()};
  }

  OwnedGuestMemory memory = *OwnedGuestMemory::Create(1 << 16);
  const RingAddrs here;
  const RingAddrs there;
  const GuestAddr end;
  DriverQueue driver;
  DeviceQueue device;
};

class D10ResetTest : public testing::TestWithParam<RingFormat> {
 protected:
  Halves halves_{GetParam()};
};

TEST_P(D10ResetTest, ChainCompletedAfterTheResetIsDiscarded) {
  Chain chain = halves_.SendAndPop();
  const std::vector<std::byte> before = halves_.Bytes();

  halves_.device.Reset();
  halves_.device.Push(chain, 1);

  EXPECT_FALSE(chain.pending());
  EXPECT_EQ(halves_.device.in_flight(), 0u);
  EXPECT_FALSE(halves_.device.Publish());
  EXPECT_EQ(halves_.Bytes(), before);
}

TEST_P(D10ResetTest, ChainPutBackAfterTheResetIsDiscarded) {
  Chain chain = halves_.SendAndPop();

  halves_.Restart(halves_.here, kSize);
  halves_.device.UnPop(chain);

  EXPECT_FALSE(chain.pending());
  EXPECT_EQ(halves_.device.in_flight(), 0u);
  EXPECT_EQ(halves_.device.Pop(chain), PopResult::kEmpty);
}

// Lives are told apart by a number, and a backend may be slower than any.
TEST_P(D10ResetTest, ChainOfTwoBuffersIsDiscardedHoweverManyResetsLater) {
  Chain chain = halves_.SendTwoBuffersAndPop();
  for (uint32_t resets = 0; resets < 1u << 17; ++resets) {
    halves_.device.Reset();
  }
  halves_.Restart(halves_.here, kSize);
  Chain of_this_life = halves_.SendTwoBuffersAndPop();

  halves_.device.Push(chain, 0);

  EXPECT_EQ(halves_.device.in_flight(), 1u);
  EXPECT_FALSE(halves_.device.Publish());
}

TEST_P(D10ResetTest, ChainOfAnEarlierLifeIsNotCompletedInALaterOne) {
  Chain old_chain = halves_.SendAndPop();
  halves_.Restart(halves_.here, kSize);
  Chain new_chain = halves_.SendAndPop();

  halves_.device.Push(old_chain, 1);
  EXPECT_EQ(halves_.device.in_flight(), 1u);
  EXPECT_FALSE(halves_.device.Publish());
  EXPECT_FALSE(halves_.driver.Collect().has_value());

  halves_.device.Push(new_chain, 1);
  EXPECT_TRUE(halves_.device.Publish());
  EXPECT_TRUE(halves_.driver.Collect().has_value());
}

TEST_P(D10ResetTest, WhatWasPutBackOrPushedBeforeIsForgotten) {
  Chain pushed = halves_.SendAndPop();
  Chain put_back = halves_.SendAndPop();
  halves_.device.Push(pushed, 1);
  halves_.device.UnPop(put_back);

  halves_.Restart(halves_.here, kSize);

  Chain chain;
  EXPECT_EQ(halves_.device.Pop(chain), PopResult::kEmpty);
  EXPECT_FALSE(halves_.device.Publish());
  EXPECT_FALSE(halves_.driver.Collect().has_value());
}

TEST_P(D10ResetTest, QueueOfNoRingTakesWritesAndNotifiesNothing) {
  halves_.Send();
  const std::vector<std::byte> before = halves_.Bytes();
  Chain chain;

  halves_.device.Reset();

  EXPECT_EQ(halves_.device.Pop(chain), PopResult::kEmpty);
  EXPECT_FALSE(halves_.device.HasAvailable());
  EXPECT_FALSE(halves_.device.EnableNotifications());
  halves_.device.DisableNotifications();
  EXPECT_FALSE(halves_.device.Publish());
  EXPECT_EQ(halves_.device.status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(halves_.Bytes(), before);
}

TEST_P(D10ResetTest, QueueHasNoRingFromTheResetToTheRestart) {
  EXPECT_TRUE(halves_.device.has_ring());

  halves_.device.Reset();
  EXPECT_FALSE(halves_.device.has_ring());

  halves_.Restart(halves_.there, 2 * kSize);
  EXPECT_TRUE(halves_.device.has_ring());
}

TEST_P(D10ResetTest, RefusedRestartLeavesNoRing) {
  Chain chain = halves_.SendAndPop();

  const absl::Status refused = halves_.device.Restart(
      halves_.memory.memory(), LayRing(GetParam(), GuestAddr(0), kSize),
      {.size = kSize});

  EXPECT_EQ(refused.code(), absl::StatusCode::kOutOfRange);
  halves_.device.Push(chain, 1);
  EXPECT_EQ(halves_.device.Pop(chain), PopResult::kEmpty);
}

TEST_P(D10ResetTest, BrokenQueueIsWholeAfterTheReset) {
  DriverQueue other = *DriverQueue::Create(halves_.memory.memory(),
                                           halves_.here, {.size = kSize});
  const DriverQueue::Buffer nowhere = {GuestAddr(0), 1};
  other.Add({}, {&nowhere, 1}, 0);
  other.Publish();
  Chain chain;
  ASSERT_EQ(halves_.device.Pop(chain), PopResult::kBroken);

  halves_.Restart(halves_.here, kSize);

  EXPECT_TRUE(halves_.device.status().ok());
  EXPECT_TRUE(halves_.SendAndPop().pending());
}

TEST_P(D10ResetTest, BrokenQueueWritesNothingWhenItsChainsAreCompleted) {
  Chain chains[] = {halves_.SendAndPop(), halves_.SendAndPop()};
  const DriverQueue::Buffer nowhere = {GuestAddr(0), 1};
  halves_.driver.Add({}, {&nowhere, 1}, 0);
  halves_.driver.Publish();
  Chain none;
  ASSERT_EQ(halves_.device.Pop(none), PopResult::kBroken);
  const std::vector<std::byte> before = halves_.Bytes();

  for (Chain& chain : chains) halves_.device.Push(chain, 1);

  EXPECT_FALSE(halves_.device.Publish());
  EXPECT_EQ(halves_.device.in_flight(), 0u);
  EXPECT_EQ(halves_.Bytes(), before);
}

// A backend that is so slow that its completions come some lives later.
TEST_P(D10ResetTest, InFlightIsWhatThisLifeHasHoweverLateCompletionsCome) {
  Dice dice(10);
  struct Held {
    uint32_t life;
    Chain chain;
  };
  std::deque<Held> held;
  uint32_t life = 0;
  uint32_t here = 0;  // of those held, of this life
  for (uint32_t i = 0; i < 20'000; ++i) {
    const uint32_t roll = dice.Below(20);
    if (roll == 0) {
      halves_.Restart(++life % 2 == 0 ? halves_.here : halves_.there, kSize);
      here = 0;
    } else if (roll < 10) {
      Chain chain;
      halves_.Send();
      if (halves_.device.Pop(chain) != PopResult::kChain) continue;
      held.push_back({life, std::move(chain)});
      ++here;
    } else if (!held.empty()) {
      std::swap(held.front(),
                held[dice.Below(static_cast<uint32_t>(held.size()))]);
      here -= held.front().life == life;
      halves_.device.Push(held.front().chain, 1);
      held.pop_front();
      halves_.device.Publish();
      while (halves_.driver.Collect().has_value()) continue;
    }
    ASSERT_EQ(halves_.device.in_flight(), here);
    ASSERT_TRUE(halves_.driver.status().ok()) << halves_.driver.status();
  }
  EXPECT_GT(life, 500u);
}

INSTANTIATE_TEST_SUITE_P(Formats, D10ResetTest,
                         testing::Values(RingFormat::kSplit,
                                         RingFormat::kPacked),
                         [](const auto& test) {
                           return test.param == RingFormat::kPacked ? "Packed"
                                                                    : "Split";
                         });

}  // namespace
}  // namespace virtqueue
