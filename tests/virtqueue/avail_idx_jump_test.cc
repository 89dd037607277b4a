// Fault D1 of the field: the available index jumps. The queue breaks at once,
// no entry is popped twice, and the device stays responsive.

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/broken.h"
#include "tests/virtqueue/device_context.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 8;

struct Jump {
  std::string name;
  uint16_t by = 0;

  friend std::ostream& operator<<(std::ostream& out, const Jump& jump) {
    return out << jump.name;
  }
};

class AvailIdxJumpTest : public testing::TestWithParam<Jump> {};

constexpr char kTooFarAhead[] =
    "2.7.13: available idx is ahead by more than the queue size";

TEST_P(AvailIdxJumpTest, BreaksTheQueueAtOnce) {
  DeviceContext context({.size = kSize});

  context.driver.SetAvailIdx(GetParam().by);

  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kBroken);
  ExpectBrokenForGood(context, kTooFarAhead);
}

TEST_P(AvailIdxJumpTest, BreaksTheQueueAfterSomeWork) {
  DeviceContext context({.size = kSize});
  context.Put(0, {{.addr = kBuffers, .len = 1}});
  for (int i = 0; i < 70000; ++i) {  // so that the index has wrapped, too
    ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);
    context.device.Push(context.chain, 0);
    context.device.Publish();
  }
  const uint16_t used = context.driver.UsedIdx();

  context.driver.SetAvailIdx(static_cast<uint16_t>(used + GetParam().by));

  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kBroken);
  EXPECT_EQ(context.Fault(), kTooFarAhead);
  EXPECT_EQ(context.driver.UsedIdx(), used);
}

INSTANTIATE_TEST_SUITE_P(D1, AvailIdxJumpTest,
                         testing::Values(Jump{"BySizePlusOne", kSize + 1},
                                         Jump{"ByHalfOfAll", 32768},
                                         Jump{"Backwards", 65535}),
                         [](const auto& test) { return test.param.name; });

TEST(AvailIdxTest, MayBeAheadByTheQueueSize) {
  DeviceContext context({.size = kSize});
  context.Put(0, {{.addr = kBuffers, .len = 1}});

  context.driver.SetAvailIdx(kSize);

  for (int i = 0; i < kSize; ++i) {
    ASSERT_EQ(context.device.Pop(context.chain), PopResult::kChain);
    context.device.Push(context.chain, 0);
  }
  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kEmpty);
}

TEST(AvailIdxTest, IsTooFarAheadIfTheDeviceStillHasSome) {
  DeviceContext context({.size = kSize});
  std::vector<Chain> chains(3);
  context.driver.SetAvailIdx(3);
  context.Put(0, {{.addr = kBuffers, .len = 1}});
  for (Chain& chain : chains) context.device.Pop(chain);

  context.driver.SetAvailIdx(kSize + 1);

  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kBroken);
  EXPECT_EQ(context.Fault(), kTooFarAhead);
}

TEST(AvailIdxTest, BreaksTheQueueIfItGoesBackOverAChainInFlight) {
  DeviceContext context({.size = kSize});
  std::vector<Chain> chains(3);
  context.driver.SetAvailIdx(3);
  context.Put(0, {{.addr = kBuffers, .len = 1}});
  for (Chain& chain : chains) context.device.Pop(chain);

  context.driver.SetAvailIdx(2);

  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kBroken);
  EXPECT_EQ(context.Fault(), "2.7.6.1: available idx went backwards");
  EXPECT_EQ(context.device.in_flight(), 3u);
}

TEST(AvailIdxTest, LeavesChainsInFlightToBeCompletedWithoutEffect) {
  DeviceContext context({.size = kSize});
  Chain popped;
  context.Put(0, {{.addr = kBuffers, .len = 1, .flags = kDescWrite}});
  context.driver.Offer(0);
  ASSERT_EQ(context.device.Pop(popped), PopResult::kChain);

  context.driver.SetAvailIdx(1000);
  ASSERT_EQ(context.device.Pop(context.chain), PopResult::kBroken);
  context.device.Push(popped, 1);

  EXPECT_FALSE(context.device.Publish());
  EXPECT_EQ(context.driver.UsedIdx(), 0);
  ExpectBrokenForGood(context, kTooFarAhead);
}

}  // namespace
}  // namespace virtqueue
