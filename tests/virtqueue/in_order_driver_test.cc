// Tries the driver half with VIRTIO_F_IN_ORDER, on either ring, with devices
// that obey virtio 1.3, 2.7.9 and 2.8.8, and with devices that do not.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/virtqueue/broken.h"
#include "tests/virtqueue/driver_context.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;
using Used = DriverQueue::Used;

void ExpectCollects(DriverQueue& driver, uint64_t token, uint32_t len) {
  const std::optional<Used> used = driver.Collect();
  ASSERT_TRUE(used.has_value());
  EXPECT_EQ(used->token, token);
  EXPECT_EQ(used->len, len);
}

class SplitInOrderDriverTest : public testing::Test, public DriverContext {
 protected:
  SplitInOrderDriverTest()
      : DriverContext({.size = 4,
                       .indirect = true,
                       .in_order = true,
                       .indirect_table_entries = 2}) {}

  // One element for the chains up to the one of `head`; `idx` is afterwards.
  void UseUpTo(uint16_t slot, uint32_t head, uint32_t len, uint16_t idx) {
    device.SetUsed(slot, head, len);
    device.SetUsedIdx(idx);
  }
};

TEST_F(SplitInOrderDriverTest, TakesDescriptorsInTheOrderOfTheTable) {
  for (uint16_t i = 0; i < 10; ++i) {
    EXPECT_EQ(Send(), i % 4);
    UseUpTo(i % 4, i % 4, /*len=*/1, static_cast<uint16_t>(i + 1));
    ASSERT_TRUE(driver.Collect().has_value());
  }
}

TEST_F(SplitInOrderDriverTest, LinksTheLastOfTheTableToTheFirst) {
  for (uint16_t i = 0; i < 3; ++i) {
    Send();
    UseUpTo(i, i, /*len=*/1, static_cast<uint16_t>(i + 1));
    driver.Collect();
  }

  Add({7, 8}, {9});
  driver.Publish();

  EXPECT_EQ(device.Head(3), 3);
  EXPECT_EQ(device.ReadDescriptor(3).next, 0);
  EXPECT_EQ(device.ReadDescriptor(0).next, 1);
  EXPECT_EQ(device.ReadDescriptor(1).len, 9u);
}

TEST_F(SplitInOrderDriverTest, HandsABatchOutChainByChain) {
  Add({9}, {}, /*token=*/5);
  Add({}, {7}, /*token=*/6);
  Add({1}, {30}, /*token=*/7);
  driver.Publish();

  UseUpTo(/*slot=*/0, /*head=*/2, /*len=*/11, /*idx=*/3);

  ExpectCollects(driver, 5, 0);
  EXPECT_EQ(driver.free_descriptors(), 2);
  ExpectCollects(driver, 6, 7);
  ExpectCollects(driver, 7, 11);
  EXPECT_FALSE(driver.Collect().has_value());
  EXPECT_EQ(driver.in_flight(), 0u);
}

TEST_F(SplitInOrderDriverTest, LooksForTheNextElementBehindTheBatch) {
  for (uint64_t token = 0; token < 4; ++token) Add({}, {8}, token);
  driver.Publish();
  device.SetUsed(0, /*id=*/1, /*len=*/2);

  UseUpTo(/*slot=*/2, /*head=*/3, /*len=*/3, /*idx=*/4);

  ExpectCollects(driver, 0, 8);
  ExpectCollects(driver, 1, 2);
  ExpectCollects(driver, 2, 8);
  ExpectCollects(driver, 3, 3);
}

TEST_F(SplitInOrderDriverTest, SaysThatSomeAreUsedWithinABatch) {
  for (uint64_t token = 0; token < 3; ++token) Add({}, {8}, token);
  driver.Publish();
  UseUpTo(/*slot=*/0, /*head=*/1, /*len=*/2, /*idx=*/2);
  ExpectCollects(driver, 0, 8);

  EXPECT_TRUE(driver.EnableNotifications());
  ExpectCollects(driver, 1, 2);
  EXPECT_FALSE(driver.EnableNotifications());
}

TEST_F(SplitInOrderDriverTest, BatchBeyondTheUsedIdxQuarantines) {
  for (uint64_t token = 0; token < 3; ++token) Add({}, {8}, token);
  driver.Publish();

  UseUpTo(/*slot=*/0, /*head=*/2, /*len=*/0, /*idx=*/2);

  ExpectQuarantinedForGood(*this, "2.7.9: batch ends beyond the used idx");
}

TEST_F(SplitInOrderDriverTest, IdOfAChainThatIsUsedQuarantines) {
  for (uint64_t token = 0; token < 3; ++token) Add({}, {8}, token);
  driver.Publish();
  UseUpTo(/*slot=*/0, /*head=*/1, /*len=*/8, /*idx=*/2);
  ExpectCollects(driver, 0, 8);
  ExpectCollects(driver, 1, 8);

  UseUpTo(/*slot=*/2, /*head=*/0, /*len=*/0, /*idx=*/3);

  ExpectQuarantinedForGood(*this,
                           "2.7.8: used id is of no chain that the device has");
}

TEST_F(SplitInOrderDriverTest, IdOfAChainNotYetPublishedQuarantines) {
  Add({}, {8});
  driver.Publish();
  Add({}, {8});

  UseUpTo(/*slot=*/0, /*head=*/1, /*len=*/0, /*idx=*/1);

  ExpectQuarantinedForGood(*this,
                           "2.7.8: used id is of no chain that the device has");
}

TEST_F(SplitInOrderDriverTest, IdOfNoDescriptorQuarantines) {
  Add({}, {8});
  driver.Publish();

  UseUpTo(/*slot=*/0, /*head=*/0x10000, /*len=*/0, /*idx=*/1);

  ExpectQuarantinedForGood(*this,
                           "2.7.8: used id is no descriptor of the table");
}

TEST_F(SplitInOrderDriverTest, IdxAheadOfWhatIsAvailableQuarantines) {
  Add({}, {8});
  driver.Publish();

  UseUpTo(/*slot=*/0, /*head=*/0, /*len=*/0, /*idx=*/2);

  ExpectQuarantinedForGood(
      *this, "2.7.8: used idx is ahead of what was made available");
}

TEST_F(SplitInOrderDriverTest, LenBeyondTheLastChainQuarantines) {
  Add({}, {80});
  Add({1}, {8});
  driver.Publish();

  UseUpTo(/*slot=*/0, /*head=*/1, /*len=*/9, /*idx=*/2);

  ExpectQuarantinedForGood(*this,
                           "2.7.8.2: used len is more than the chain can hold");
}

TEST_F(SplitInOrderDriverTest, ASecondBadBatchDoesNotUndoTheFirst) {
  for (uint64_t token = 0; token < 3; ++token) Add({}, {8}, token);
  driver.Publish();
  device.SetUsed(2, /*id=*/9, /*len=*/0);

  UseUpTo(/*slot=*/0, /*head=*/1, /*len=*/2, /*idx=*/3);

  ExpectCollects(driver, 0, 8);
  ExpectCollects(driver, 1, 2);
  ExpectQuarantinedForGood(*this,
                           "2.7.8: used id is no descriptor of the table");
}

TEST_F(SplitInOrderDriverTest, TheBatchIsReadOnce) {
  for (uint64_t token = 0; token < 2; ++token) Add({}, {8}, token);
  driver.Publish();
  UseUpTo(/*slot=*/0, /*head=*/1, /*len=*/2, /*idx=*/2);
  ExpectCollects(driver, 0, 8);

  UseUpTo(/*slot=*/0, /*head=*/9, /*len=*/999, /*idx=*/7);

  ExpectCollects(driver, 1, 2);
}

class PackedInOrderDriverTest : public testing::Test,
                                public PackedDriverContext {
 protected:
  PackedInOrderDriverTest()
      : PackedDriverContext({.size = 5, .in_order = true}) {}

  void ExpectQuarantinedForGood(const std::string& fault) {
    EXPECT_FALSE(driver.Collect().has_value());
    for (uint16_t slot = 0; slot < 5; ++slot) Use(slot, slot, 0);
    EXPECT_FALSE(driver.Collect().has_value());
    EXPECT_EQ(Add({1}, {}), AddResult::kBroken);
    EXPECT_EQ(Add({1}, {1}), AddResult::kBroken);
    EXPECT_FALSE(driver.Publish());
    EXPECT_FALSE(driver.EnableNotifications());
    EXPECT_FALSE(driver.EnableNotificationsDelayed());
    EXPECT_EQ(Fault(), fault);
  }
};

TEST_F(PackedInOrderDriverTest, HandsABatchOutChainByChain) {
  Add({9, 9}, {}, /*token=*/5);
  Add({}, {7}, /*token=*/6);
  Add({1}, {30}, /*token=*/7);
  driver.Publish();

  Use(/*slot=*/0, IdAt(4), /*len=*/11);

  ExpectCollects(driver, 5, 0);
  EXPECT_EQ(driver.free_descriptors(), 2);
  ExpectCollects(driver, 6, 7);
  ExpectCollects(driver, 7, 11);
  EXPECT_FALSE(driver.Collect().has_value());
  EXPECT_EQ(driver.free_descriptors(), 5);
}

TEST_F(PackedInOrderDriverTest, LooksForTheNextDescriptorBehindTheBatch) {
  Add({9, 9}, {}, /*token=*/0);
  Add({}, {7}, /*token=*/1);
  Add({}, {8}, /*token=*/2);
  driver.Publish();
  Use(/*slot=*/0, IdAt(2), /*len=*/3);
  ExpectCollects(driver, 0, 0);
  ExpectCollects(driver, 1, 3);
  EXPECT_FALSE(driver.Collect().has_value());

  Use(/*slot=*/3, IdAt(3), /*len=*/8);

  ExpectCollects(driver, 2, 8);
}

TEST_F(PackedInOrderDriverTest, GoesOnInTheNextLap) {
  for (uint64_t token = 0; token < 5; ++token) Send(token);
  Use(/*slot=*/0, IdAt(3), /*len=*/1);
  for (uint64_t token = 0; token < 4; ++token) ExpectCollects(driver, token, 1);
  Send(/*token=*/5);
  Send(/*token=*/6);

  Use(/*slot=*/4, IdAt(1), /*len=*/0);

  ExpectCollects(driver, 4, 1);
  ExpectCollects(driver, 5, 1);
  ExpectCollects(driver, 6, 0);
}

TEST_F(PackedInOrderDriverTest, SaysThatSomeAreUsedWithinABatch) {
  for (uint64_t token = 0; token < 3; ++token) Send(token);
  Use(/*slot=*/0, IdAt(1), /*len=*/1);
  ExpectCollects(driver, 0, 1);

  EXPECT_TRUE(driver.EnableNotifications());
  ExpectCollects(driver, 1, 1);
  EXPECT_FALSE(driver.EnableNotifications());
}

TEST_F(PackedInOrderDriverTest, IdBeyondTheQueueSizeQuarantines) {
  Send();

  Use(0, 5, 0);

  ExpectQuarantinedForGood("2.8.22: used id beyond the queue size");
}

TEST_F(PackedInOrderDriverTest, IdOfAChainThatIsUsedQuarantines) {
  for (uint64_t token = 0; token < 3; ++token) Send(token);
  const uint16_t id = IdAt(0);
  Use(0, IdAt(1), 1);
  ExpectCollects(driver, 0, 1);
  ExpectCollects(driver, 1, 1);

  Use(2, id, 0);

  ExpectQuarantinedForGood(
      "2.8.22: used id is of no chain that the device has");
}

TEST_F(PackedInOrderDriverTest, IdOfAChainNotYetPublishedQuarantines) {
  Send();
  Add({1, 1}, {});  // its id is in the second, which is written already

  Use(0, IdAt(2), 0);

  ExpectQuarantinedForGood(
      "2.8.22: used id is of no chain that the device has");
}

TEST_F(PackedInOrderDriverTest, LenBeyondTheLastChainQuarantines) {
  Add({}, {80});
  Add({}, {8});
  driver.Publish();

  Use(0, IdAt(1), 9);

  ExpectQuarantinedForGood(
      "2.8.4: used length is more than the chain can hold");
}

TEST_F(PackedInOrderDriverTest, SkippedBytesBeyond32BitsCountAsTheMost) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  Add({}, {kMost, 1}, /*token=*/0);
  Add({}, {8}, /*token=*/1);
  driver.Publish();

  Use(0, IdAt(2), 8);

  ExpectCollects(driver, 0, kMost);
  ExpectCollects(driver, 1, 8);
}

}  // namespace
}  // namespace virtqueue
