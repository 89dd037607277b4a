// virtio 1.3, 2.9 "Driver Notifications" and 4.1.5.2 "Available Buffer
// Notifications": what they carry. When they are due is in the chapters of the
// rings. docs/spec_map.md lists what is left out.

#include "virtqueue/driver_notification.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "tests/support/spec.h"
#include "tests/virtqueue/driver_context.h"
#include "tests/virtqueue/packed_context.h"

namespace virtqueue {
namespace {

constexpr NextAvailable kNext = {.off = 0x1234, .wrap = true};
constexpr uint16_t kCookie = 0xbeef;

TEST(DriverNotifications, AreTheVirtqueueIndexIn16Bits) {
  Spec("1.3", "4.1.5.2.1", Level::kMust);
  constexpr NotificationTerms kTerms;

  EXPECT_EQ(kTerms.bits(), 16u);
  EXPECT_EQ(kTerms.Encode(2, kNext), 0x0002u);
}

TEST(DriverNotifications, AreWhatTheDeviceGaveInPlaceOfTheIndex) {
  Spec("1.3", "4.1.5.2.1", Level::kMust);
  constexpr NotificationTerms kTerms = {.config_data = kCookie};

  EXPECT_EQ(kTerms.bits(), 16u);
  EXPECT_EQ(kTerms.Encode(2, kNext), 0xbeefu);
}

TEST(DriverNotifications, HaveOffsetAndWrapCounterAboveTheIndex) {
  Spec("1.3", "4.1.5.2.1", Level::kMust);
  constexpr NotificationTerms kTerms = {.data = true};

  EXPECT_EQ(kTerms.bits(), 32u);
  EXPECT_EQ(kTerms.Encode(2, kNext), 0x9234'0002u);
}

TEST(DriverNotifications, HaveOffsetAndWrapCounterAboveWhatTheDeviceGave) {
  Spec("1.3", "4.1.5.2.1", Level::kMust);
  constexpr NotificationTerms kTerms = {.data = true, .config_data = kCookie};

  EXPECT_EQ(kTerms.bits(), 32u);
  EXPECT_EQ(kTerms.Encode(2, {.off = 0x7fff}), 0x7fff'beefu);
}

TEST(DriverNotifications, AreTakenApartByTheDevice) {
  constexpr NotificationTerms kPlain;
  constexpr NotificationTerms kData = {.data = true};

  EXPECT_EQ(kPlain.Decode(0x9234'0002),
            (DriverNotification{.queue = 2, .next = std::nullopt}));
  EXPECT_EQ(kData.Decode(0x9234'0002),
            (DriverNotification{.queue = 2, .next = kNext}));
  EXPECT_EQ(kData.Decode(0x8000'ffff),
            (DriverNotification{.queue = 0xffff,
                                .next = NextAvailable{.off = 0, .wrap = 1}}));
}

TEST(SplitDriverNotifications, HaveTheAvailableIdxIn15BitsAndItsHighest) {
  DriverContext context({.size = 1});
  for (uint32_t i = 0; i < 0x8003; ++i) {
    context.device.Use(context.Send(), 0);
    context.driver.Collect();
    const uint32_t idx = i + 1;
    ASSERT_EQ(context.driver.next_available(),
              (NextAvailable{.off = static_cast<uint16_t>(idx % 0x8000),
                             .wrap = idx >= 0x8000}));
  }

  EXPECT_EQ(context.device.AvailIdx(), 0x8003);
}

TEST(PackedDriverNotifications, HaveTheNextSlotAndTheWrapCounter) {
  PackedDriverContext context({.size = 3});
  EXPECT_EQ(context.driver.next_available(),
            (NextAvailable{.off = 0, .wrap = true}));

  context.Add({1}, {1});
  context.driver.Publish();
  EXPECT_EQ(context.driver.next_available(),
            (NextAvailable{.off = 2, .wrap = true}));

  context.Send();
  EXPECT_EQ(context.driver.next_available(),
            (NextAvailable{.off = 0, .wrap = false}));
}

TEST(SplitDriverNotifications, AreEqualUntilMoreIsMadeAvailable) {
  DriverContext context({.size = 4});
  context.Send();
  context.Add({}, {1});

  EXPECT_EQ(context.driver.next_available(), (NextAvailable{.off = 1}));
  EXPECT_EQ(context.driver.next_available(), (NextAvailable{.off = 1}));
  context.driver.Publish();
  EXPECT_EQ(context.driver.next_available(), (NextAvailable{.off = 2}));
}

TEST(PackedDriverNotifications, AreEqualUntilMoreIsMadeAvailable) {
  PackedDriverContext context({.size = 4});
  constexpr NextAvailable kOne = {.off = 1, .wrap = true};
  context.Send();
  context.Add({}, {1});

  EXPECT_EQ(context.driver.next_available(), kOne);
  EXPECT_EQ(context.driver.next_available(), kOne);
  context.driver.Publish();
  EXPECT_EQ(context.driver.next_available(),
            (NextAvailable{.off = 2, .wrap = true}));
}

}  // namespace
}  // namespace virtqueue
