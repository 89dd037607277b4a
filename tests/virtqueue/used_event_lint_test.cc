// A driver that negotiates the event index and leaves used_event at 0, for
// 70,000 completions: rcore-os/virtio-drivers pull request 121, 2023.

#include "virtqueue/used_event_lint.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/device_context.h"
#include "virtqueue/device_queue.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 8;
constexpr uint32_t kCompletions = 70'000;

class UsedEventLintTest : public testing::Test {
 protected:
  UsedEventLintTest() { context_.Put(0, {{.addr = kBuffers, .len = 1}}); }

  // One completion; true if the driver is to be notified.
  bool UseOne() {
    context_.driver.Offer(0);
    EXPECT_EQ(context_.device.Pop(context_.chain), PopResult::kChain);
    context_.device.Push(context_.chain, 0);
    const bool notified = context_.device.Publish();
    lint_.Look();
    return notified;
  }

  DeviceContext context_ = DeviceContext({.size = kSize, .event_idx = true});
  UsedEventLint lint_ =
      *UsedEventLint::Create(context_.heap.memory(), context_.addrs, kSize);
};

TEST_F(UsedEventLintTest, DriverThatNeverWritesIsNotifiedOnceInEachRound) {
  std::vector<uint32_t> notified_of;

  for (uint32_t i = 0; i < kCompletions; ++i) {
    if (UseOne()) notified_of.push_back(i);
  }

  EXPECT_EQ(notified_of, std::vector<uint32_t>({0, 65536}));
}

TEST_F(UsedEventLintTest, SaysSoAfterARoundAndNotBefore) {
  for (uint32_t i = 0; i < 65535; ++i) UseOne();
  EXPECT_FALSE(lint_.never_written());

  UseOne();

  EXPECT_TRUE(lint_.never_written());
}

TEST_F(UsedEventLintTest, IsSilentOnceTheDriverWrote) {
  for (uint32_t i = 0; i < kCompletions; ++i) {
    if (i == 100) context_.driver.SetUsedEvent(100);
    if (i == 200) context_.driver.SetUsedEvent(0);
    UseOne();
  }

  EXPECT_FALSE(lint_.never_written());
}

}  // namespace
}  // namespace virtqueue
