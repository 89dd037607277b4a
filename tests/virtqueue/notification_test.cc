// Tries virtqueue/notification.h.

#include "virtqueue/notification.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

// 2.7.7.2 taken literally: were any of the entries written in the slot numbers
// [old_idx, new_idx) the one named `event`?
bool WroteEntry(uint16_t event, uint16_t new_idx, uint16_t old_idx) {
  for (uint16_t i = old_idx; i != new_idx; ++i) {
    if (i == event) return true;
  }
  return false;
}

TEST(NeedEventTest, IsTrueIfTheNamedEntryWasWritten) {
  for (const int start : {0, 1, 5, 32767, 32768, 65530, 65535}) {
    for (int moved = 0; moved <= 9; ++moved) {
      for (int distance = -12; distance <= 12; ++distance) {
        const auto old_idx = static_cast<uint16_t>(start);
        const auto new_idx = static_cast<uint16_t>(start + moved);
        const auto event = static_cast<uint16_t>(start + distance);

        ASSERT_EQ(NeedEvent(event, new_idx, old_idx),
                  WroteEntry(event, new_idx, old_idx))
            << start << " " << moved << " " << distance;
      }
    }
  }
}

TEST(NeedEventTest, IsRightForTheLargestBatch) {
  for (int event = 0; event < 65536; event += 97) {
    const auto named = static_cast<uint16_t>(event);
    ASSERT_EQ(NeedEvent(named, 32768 + 7, 7), WroteEntry(named, 32768 + 7, 7));
  }
}

class NotificationTest : public testing::Test {
 protected:
  static constexpr uint16_t kSize = 4;

  const HeapMemory heap_{{{0, 256}}};
  const SplitRing ring_ =
      *SplitRing::Map(heap_.memory(), LaySplitRing(GuestAddr(0), kSize), kSize);
};

TEST_F(NotificationTest, DriverSpeaksByAvailFlagsWithoutEventIdx) {
  Notification driver = Notification::OfDriver(ring_, /*event_idx=*/false);

  driver.Disable(/*next=*/9);
  EXPECT_EQ(ring_.avail_flags->Load(), 1);
  driver.Enable(/*event=*/9);
  EXPECT_EQ(ring_.avail_flags->Load(), 0);
  EXPECT_EQ(ring_.used_event->Load(), 0);
}

TEST_F(NotificationTest, DeviceSpeaksByUsedFlagsWithoutEventIdx) {
  Notification device = Notification::OfDevice(ring_, /*event_idx=*/false);

  device.Disable(/*next=*/9);
  EXPECT_EQ(ring_.used_flags->Load(), 1);
  device.Enable(/*event=*/9);
  EXPECT_EQ(ring_.used_flags->Load(), 0);
  EXPECT_EQ(ring_.avail_event->Load(), 0);
}

TEST_F(NotificationTest, DriverSpeaksByUsedEventWithEventIdx) {
  Notification driver = Notification::OfDriver(ring_, /*event_idx=*/true);

  driver.Disable(/*next=*/0);
  EXPECT_EQ(ring_.used_event->Load(), 65535);
  driver.Enable(/*event=*/9);
  EXPECT_EQ(ring_.used_event->Load(), 9);
  EXPECT_EQ(ring_.avail_flags->Load(), 0);
}

TEST_F(NotificationTest, DeviceSpeaksByAvailEventWithEventIdx) {
  Notification device = Notification::OfDevice(ring_, /*event_idx=*/true);

  device.Disable(/*next=*/0);
  EXPECT_EQ(ring_.avail_event->Load(), 65535);
  device.Enable(/*event=*/9);
  EXPECT_EQ(ring_.avail_event->Load(), 9);
  EXPECT_EQ(ring_.used_flags->Load(), 0);
}

TEST_F(NotificationTest, DisabledTwiceItWritesOnce) {
  Notification driver = Notification::OfDriver(ring_, /*event_idx=*/true);

  driver.Disable(/*next=*/5);
  driver.Disable(/*next=*/7);

  EXPECT_EQ(ring_.used_event->Load(), 4);
}

TEST_F(NotificationTest, DisabledItIsNotToBeNotifiedFor65535Entries) {
  Notification driver = Notification::OfDriver(ring_, /*event_idx=*/true);
  const Notification device = Notification::OfDevice(ring_, /*event_idx=*/true);

  driver.Disable(/*next=*/5);

  uint16_t idx = 5;
  for (int i = 0; i < 65535; ++i, ++idx) {
    const auto next = static_cast<uint16_t>(idx + 1);
    ASSERT_FALSE(device.PeerMustBeNotified(next, idx)) << i;
  }
  EXPECT_TRUE(device.PeerMustBeNotified(5, 4));
}

}  // namespace
}  // namespace virtqueue
