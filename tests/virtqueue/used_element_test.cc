// Fault D6 of the field: the driver trusts used id and len. Here it reports
// what is wrong and quarantines the queue; nothing is indexed out of range.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/broken.h"
#include "tests/virtqueue/driver_context.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;

constexpr uint16_t kSize = 8;

constexpr char kNoSuchDescriptor[] =
    "2.7.8: used id is no descriptor of the table";
constexpr char kNoSuchChain[] =
    "2.7.8: used id is of no chain that the device has";
constexpr char kTooLong[] = "2.7.8.2: used len is more than the chain can hold";
constexpr char kTooMany[] =
    "2.7.8: used idx is ahead of what was made available";

class UsedElementTest : public testing::Test, public DriverContext {
 protected:
  UsedElementTest() : DriverContext({.size = kSize}) {}
};

TEST_F(UsedElementTest, WithIdOfNoDescriptorQuarantines) {
  for (const uint32_t id :
       {uint32_t{kSize}, 65536u, 0x80000000u, 0xffffffffu}) {
    DriverContext context({.size = kSize});
    context.Send();

    context.device.Use(id, 0);

    ExpectQuarantinedForGood(context, kNoSuchDescriptor);
  }
}

TEST_F(UsedElementTest, WithIdNeverAddedQuarantines) {
  const uint16_t head = Send();

  device.Use(head ^ 1u, 0);

  ExpectQuarantinedForGood(*this, kNoSuchChain);
}

TEST_F(UsedElementTest, WithIdUsedBeforeQuarantines) {
  const uint16_t head = Send(/*token=*/7);
  device.Use(head, 1);
  ASSERT_EQ(driver.Collect()->token, 7u);
  Send();  // takes the same descriptor
  Send();
  device.Use(head, 1);
  ASSERT_TRUE(driver.Collect().has_value());

  device.Use(head, 1);

  ExpectQuarantinedForGood(*this, kNoSuchChain);
}

TEST_F(UsedElementTest, WithIdNotYetPublishedQuarantines) {
  Send();
  Add({}, {1});
  const uint16_t unpublished = device.Head(1);

  device.Use(unpublished, 0);

  ExpectQuarantinedForGood(*this, kNoSuchChain);
}

TEST_F(UsedElementTest, WithLongChainNotYetPublishedQuarantines) {
  Send();
  Add({1, 1}, {1});
  const uint16_t unpublished = device.Head(1);

  device.Use(unpublished, 0);

  ExpectQuarantinedForGood(*this, kNoSuchChain);
}

TEST_F(UsedElementTest, WithIdFromTheMiddleOfAChainQuarantines) {
  Add({1, 1}, {1});
  driver.Publish();

  device.Use(device.ReadDescriptor(device.Head(0)).next, 0);

  ExpectQuarantinedForGood(*this, kNoSuchChain);
}

TEST_F(UsedElementTest, WithLenBeyondTheWritableBytesQuarantines) {
  Add({100}, {30, 14});
  driver.Publish();

  device.Use(device.Head(0), 45);

  ExpectQuarantinedForGood(*this, kTooLong);
}

TEST_F(UsedElementTest, WithLenBeyondTheOnlyBufferQuarantines) {
  const uint16_t head = Send();

  device.Use(head, 2);

  ExpectQuarantinedForGood(*this, kTooLong);
}

TEST_F(UsedElementTest, WithLenOfAReadableChainQuarantines) {
  Add({100}, {});
  driver.Publish();

  device.Use(device.Head(0), 1);

  ExpectQuarantinedForGood(*this, kTooLong);
}

TEST_F(UsedElementTest, OfMoreChainsThanWerePublishedQuarantines) {
  const uint16_t head = Send();
  Add({}, {1});  // not published
  device.Use(head, 0);

  device.SetUsedIdx(2);

  ExpectQuarantinedForGood(*this, kTooMany);
}

TEST_F(UsedElementTest, GoingBackwardsQuarantines) {
  const uint16_t head = Send();
  device.Use(head, 0);
  ASSERT_TRUE(driver.Collect().has_value());

  device.SetUsedIdx(0);

  ExpectQuarantinedForGood(*this, kTooMany);
}

TEST_F(UsedElementTest, DoesNotUndoWhatCameBeforeIt) {
  const uint16_t head = Send(/*token=*/7);
  Send();
  device.Use(head, 1);
  device.Use(1000, 0);

  EXPECT_EQ(driver.Collect()->token, 7u);

  ExpectQuarantinedForGood(*this, kNoSuchDescriptor);
}

TEST_F(UsedElementTest, ScribbledOverTheDescriptorsChangesNothing) {
  Add({1, 1}, {1}, /*token=*/7);
  driver.Publish();
  const uint16_t head = device.Head(0);
  for (std::byte& byte : heap.Bytes(addrs.desc.value(), 16 * kSize)) {
    byte = std::byte{0xff};
  }

  device.Use(head, 1);

  EXPECT_EQ(driver.Collect()->token, 7u);
  EXPECT_EQ(driver.free_descriptors(), kSize);
  EXPECT_EQ(Add(std::vector<uint32_t>(kSize, 1), {}), AddResult::kAdded);
}

}  // namespace
}  // namespace virtqueue
