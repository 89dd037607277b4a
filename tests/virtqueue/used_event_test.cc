// Fault C1 of the field: the device notifies if its index equals used_event,
// not if it went past it, and a burst leaves the driver asleep.

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/virtqueue/device_context.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 8;

// Uses `burst` chains at once; whether the driver is to be notified.
bool UseBurst(DeviceContext& context, int burst) {
  for (int i = 0; i < burst; ++i) {
    context.driver.Offer(0);
    EXPECT_EQ(context.device.Pop(context.chain), PopResult::kChain);
    context.device.Push(context.chain, 0);
  }
  return context.device.Publish();
}

TEST(UsedEventTest, IsHeededIfTheBurstCrossesIt) {
  for (int burst = 1; burst <= 7; ++burst) {
    for (int event = -8; event < 8; ++event) {
      DeviceContext context({.size = kSize, .event_idx = true});
      context.Put(0, {{.addr = kBuffers, .len = 1}});
      UseBurst(context, 5);
      context.driver.SetUsedEvent(static_cast<uint16_t>(5 + event));

      // Entries 5 to 4 + burst are written.
      EXPECT_EQ(UseBurst(context, burst), event >= 0 && event < burst)
          << burst << " " << event;
    }
  }
}

// The driver asks for the next entry whenever it has seen all; bursts of 1 to 7
// for two turns of the index. Once it sleeps, the next burst has to wake it.
TEST(UsedEventTest, NeverLeavesASleepingDriverWithUsedEntries) {
  DeviceContext context({.size = kSize, .event_idx = true});
  context.Put(0, {{.addr = kBuffers, .len = 1}});
  for (uint32_t used = 0, burst = 1; used < 2 * 65536; burst = burst % 7 + 1) {
    context.driver.SetUsedEvent(static_cast<uint16_t>(used));

    ASSERT_TRUE(UseBurst(context, static_cast<int>(burst))) << used;

    used += burst;
  }
}

}  // namespace
}  // namespace virtqueue
