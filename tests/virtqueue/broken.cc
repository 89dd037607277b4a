#include "tests/virtqueue/broken.h"

#include <cstdint>

#include "gtest/gtest.h"

void ExpectBrokenForGood(DeviceContext& context, const std::string& fault) {
  EXPECT_EQ(context.Fault(), fault);
  context.driver.SetAvailIdx(1);  // even if the ring looks lawful now
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(context.device.Pop(context.chain),
              DeviceContext::PopResult::kBroken);
  }
  EXPECT_FALSE(context.chain.pending());
  EXPECT_TRUE(context.chain.readable().empty());
  EXPECT_TRUE(context.chain.writable().empty());
  EXPECT_FALSE(context.device.HasAvailable());
  EXPECT_FALSE(context.device.EnableNotifications());
  EXPECT_FALSE(context.device.Publish());
  EXPECT_EQ(context.device.in_flight(), 0u);
  EXPECT_EQ(context.Fault(), fault);
}

void ExpectQuarantinedForGood(DriverContext& context,
                              const std::string& fault) {
  const uint16_t avail_idx = context.device.AvailIdx();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(context.driver.Collect().has_value());
    EXPECT_EQ(context.Add({1}, {}), DriverContext::AddResult::kBroken);
    EXPECT_EQ(context.Add({1}, {1}), DriverContext::AddResult::kBroken);
  }
  EXPECT_FALSE(context.driver.Publish());
  EXPECT_FALSE(context.driver.EnableNotifications());
  EXPECT_FALSE(context.driver.EnableNotificationsDelayed());
  EXPECT_EQ(context.device.AvailIdx(), avail_idx);
  EXPECT_EQ(context.Fault(), fault);
}
