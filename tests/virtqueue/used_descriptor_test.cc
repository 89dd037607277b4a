// Fault D6 of the field, on a packed ring: a driver trusts the id and the
// length of a used descriptor. Here each wrong one quarantines the queue.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/packed_context.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;
using Desc = RawPacked::Desc;

constexpr uint16_t kSize = 5;

const char kNoSuchId[] = "2.8.22: used id beyond the queue size";
const char kNoSuchChain[] =
    "2.8.22: used id is of no chain that the device has";
const char kTooLong[] = "2.8.4: used length is more than the chain can hold";

class UsedDescriptorTest : public testing::Test, public PackedDriverContext {
 protected:
  UsedDescriptorTest() : PackedDriverContext({.size = kSize}) {}

  // A driver queue that is quarantined stays so, in every way, and says why.
  void ExpectQuarantinedForGood(const std::string& fault) {
    EXPECT_FALSE(driver.Collect().has_value());
    for (uint16_t slot = 0; slot < kSize; ++slot) Use(slot, slot, 0);
    const Desc before = ring.Read(1);
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(driver.Collect().has_value());
      EXPECT_EQ(Add({1}, {}), AddResult::kBroken);
      EXPECT_EQ(Add({1}, {1}), AddResult::kBroken);
    }
    EXPECT_FALSE(driver.Publish());
    EXPECT_FALSE(driver.EnableNotifications());
    EXPECT_FALSE(driver.EnableNotificationsDelayed());
    EXPECT_EQ(ring.Read(1), before);
    EXPECT_EQ(Fault(), fault);
  }
};

TEST_F(UsedDescriptorTest, WithIdOfTheQueueSizeQuarantines) {
  Send();

  Use(0, kSize, 0);

  ExpectQuarantinedForGood(kNoSuchId);
}

TEST_F(UsedDescriptorTest, WithTheLargestIdQuarantines) {
  Send();

  Use(0, 65535, 0);

  ExpectQuarantinedForGood(kNoSuchId);
}

TEST_F(UsedDescriptorTest, WithIdThatWasNeverAddedQuarantines) {
  Send();

  Use(0, static_cast<uint16_t>((IdAt(0) + 1) % kSize), 0);

  ExpectQuarantinedForGood(kNoSuchChain);
}

TEST_F(UsedDescriptorTest, WithNothingInTheRingQuarantines) {
  Use(0, 0, 0);

  ExpectQuarantinedForGood(kNoSuchChain);
}

TEST_F(UsedDescriptorTest, WithIdThatWasUsedBeforeQuarantines) {
  Send();
  Send();
  const uint16_t id = IdAt(0);
  Use(0, id, 1);
  ASSERT_TRUE(driver.Collect().has_value());

  Use(1, id, 1);

  ExpectQuarantinedForGood(kNoSuchChain);
}

TEST_F(UsedDescriptorTest, WithIdNotYetPublishedQuarantines) {
  Send();
  Add({1, 1}, {});  // its id is in the second, which is written already

  Use(0, IdAt(2), 0);

  ExpectQuarantinedForGood(kNoSuchChain);
}

TEST_F(UsedDescriptorTest, WithLenBeyondTheWritableBytesQuarantines) {
  Add({100}, {30, 14});
  driver.Publish();

  Use(0, IdAt(2), 45);

  ExpectQuarantinedForGood(kTooLong);
}

TEST_F(UsedDescriptorTest, WithLenOfAReadableChainQuarantines) {
  Add({100}, {});
  driver.Publish();

  Use(0, IdAt(0), 1);

  ExpectQuarantinedForGood(kTooLong);
}

TEST_F(UsedDescriptorTest, WithTheLargestLenQuarantines) {
  Send();

  Use(0, IdAt(0), std::numeric_limits<uint32_t>::max());

  ExpectQuarantinedForGood(kTooLong);
}

TEST_F(UsedDescriptorTest, BeforeItsTurnIsNotLookedAt) {
  Send();
  Send();

  Use(1, IdAt(0), 1);

  EXPECT_FALSE(driver.Collect().has_value());
  EXPECT_TRUE(driver.status().ok());
}

TEST_F(UsedDescriptorTest, OfTheWrongLapIsNone) {
  Send();

  Use(0, IdAt(0), 1, /*wrap_counter=*/false);

  EXPECT_FALSE(driver.Collect().has_value());
  EXPECT_TRUE(driver.status().ok());
}

TEST_F(UsedDescriptorTest, DoesNotUndoWhatCameBeforeIt) {
  Send(/*token=*/7);
  Send();
  Use(0, IdAt(0), 1);
  Use(1, 1000, 0);

  EXPECT_EQ(driver.Collect()->token, 7u);

  ExpectQuarantinedForGood(kNoSuchId);
}

TEST_F(UsedDescriptorTest, ScribbledOverTheOthersChangesNothing) {
  Add({1, 1}, {1}, /*token=*/7);
  driver.Publish();
  const uint16_t id = IdAt(2);
  for (uint16_t slot = 0; slot < kSize; ++slot) {
    ring.Write(slot, {~uint64_t{0}, 0xffffffff, 0xffff, 0xffff});
  }
  ring.WriteDriverEvents(0xffff, 3);

  Use(0, id, 1);

  EXPECT_EQ(driver.Collect()->token, 7u);
  EXPECT_EQ(driver.free_descriptors(), kSize);
}

}  // namespace
}  // namespace virtqueue
