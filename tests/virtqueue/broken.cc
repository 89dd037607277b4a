#include "tests/virtqueue/broken.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace {

// The driver makes its ring lawful after all: one chain, or as many as the
// device has not popped.
void Repair(DeviceContext& context) {
  for (uint16_t i = 0; i < context.device.size(); ++i) {
    context.Put(i, {{.addr = kBuffers, .len = 1}});
    context.driver.SetHead(i, 0);
  }
  context.driver.SetAvailIdx(1);
}

// So does the device: every element is of the chain that was added first.
void Repair(DriverContext& context) {
  for (uint16_t i = 0; i < context.driver.size(); ++i) {
    context.device.SetUsed(i, context.device.Head(0), 0);
  }
  context.device.SetUsedIdx(1);
}

}  // namespace

void ExpectBrokenForGood(DeviceContext& context, const std::string& fault) {
  EXPECT_EQ(context.Fault(), fault);
  Repair(context);
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
  EXPECT_FALSE(context.driver.Collect().has_value());
  Repair(context);
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
