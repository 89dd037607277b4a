// Tries virtqueue/device_queue.h: what is lawful, though it may be unusual.
// What is not lawful: ring_faults_test.cc.

#include "virtqueue/device_queue.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/device_context.h"
#include "virtqueue/testing/raw_device.h"

namespace virtqueue {
namespace {

using Used = std::vector<RawDriver::UsedElem>;

class DeviceQueueTest : public testing::Test, public DeviceContext {
 protected:
  DeviceQueueTest() : DeviceContext({.size = 8, .indirect = true}) {
    for (uint16_t i = 0; i < 8; ++i) {
      Put(i, {{.addr = kBuffers + 16u * i, .len = 16, .flags = kDescWrite}});
    }
  }
};

TEST_F(DeviceQueueTest, PopsInTheOrderMadeAvailable) {
  for (const uint16_t head : std::vector<uint16_t>{5, 0, 7}) driver.Offer(head);

  for (const uint32_t head : {5u, 0u, 7u}) {
    ASSERT_EQ(device.Pop(chain), PopResult::kChain);
    EXPECT_EQ(chain.head(), head);
    device.Push(chain, 0);
  }
  EXPECT_EQ(device.Pop(chain), PopResult::kEmpty);
}

TEST_F(DeviceQueueTest, CompletesInWhateverOrder) {
  Chain other;
  driver.Offer(5);
  driver.Offer(2);
  device.Pop(chain);
  device.Pop(other);

  device.Push(other, 3);
  device.Push(chain, 16);
  device.Publish();

  EXPECT_EQ(driver.Used(), (Used{{2, 3}, {5, 16}}));
}

TEST_F(DeviceQueueTest, ShowsNothingBeforePublish) {
  OfferAndPop(5);

  device.Push(chain, 3);
  EXPECT_EQ(driver.UsedIdx(), 0);
  device.Publish();
  EXPECT_EQ(driver.UsedIdx(), 1);
}

TEST_F(DeviceQueueTest, PublishesABatchByOneStepOfTheIndex) {
  for (uint16_t head = 0; head < 8; ++head) driver.Offer(head);
  for (uint16_t head = 0; head < 8; ++head) {
    device.Pop(chain);
    device.Push(chain, head);
  }

  EXPECT_TRUE(device.Publish());

  EXPECT_EQ(driver.UsedIdx(), 8);
  EXPECT_FALSE(device.Publish());
}

TEST_F(DeviceQueueTest, GivesABufferOverAdjacentRegionsAsTwoSpans) {
  Put(0, {{.addr = kMiddle - 3, .len = 8}});

  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  ASSERT_EQ(chain.readable().size(), 2u);
  EXPECT_EQ(chain.readable()[0].data(), heap.Bytes(kMiddle - 3, 3).data());
  EXPECT_EQ(chain.readable()[0].size(), 3u);
  EXPECT_EQ(chain.readable()[1].data(), heap.Bytes(kMiddle, 5).data());
  EXPECT_EQ(chain.readable()[1].size(), 5u);
  EXPECT_EQ(chain.descriptors(), 1u);
}

TEST_F(DeviceQueueTest, TakesADescriptorOfNoBytesWhereverItPoints) {
  Put(0, {{.addr = ~uint64_t{0}, .flags = kDescNext, .next = 1},
          {.addr = kBuffers, .len = 2, .flags = kDescNext, .next = 2},
          {.addr = 1, .flags = kDescWrite}});

  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 2u);
  EXPECT_EQ(chain.readable().size(), 1u);
  EXPECT_TRUE(chain.writable().empty());
  EXPECT_EQ(chain.descriptors(), 3u);
}

TEST_F(DeviceQueueTest, TakesABufferUpToTheVeryEndOfMemory) {
  Put(0, {{.addr = kBuffersEnd - 1, .len = 1}});

  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 1u);
}

TEST_F(DeviceQueueTest, TakesAnIndirectTableAtAnOddAddress) {
  const uint64_t table = kBuffers + 101;
  driver.WriteTable(GuestAddr(table),
                    {{.addr = kMiddle, .len = 5, .flags = kDescNext, .next = 2},
                     {.addr = 1, .len = 1},
                     {.addr = kMiddle, .len = 6, .flags = kDescWrite}});
  Put(0, {{.addr = table, .len = 48, .flags = kDescIndirect}});

  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 5u);
  EXPECT_EQ(chain.writable_bytes(), 6u);
  EXPECT_EQ(chain.descriptors(), 2u);
}

TEST_F(DeviceQueueTest, TakesATableOfMoreEntriesThanTheQueueIfTheChainIsNot) {
  std::vector<Descriptor> entries = Linked(20);
  entries[0].next = 19;
  driver.WriteTable(GuestAddr(kMiddle), entries);
  Put(0, {{.addr = kMiddle, .len = 20 * 16, .flags = kDescIndirect}});

  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(chain.descriptors(), 2u);
}

TEST_F(DeviceQueueTest, IgnoresFlagsWithoutAMeaning) {
  Put(0, {{.addr = kBuffers, .len = 2, .flags = 0xfff8}});

  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 2u);
}

TEST_F(DeviceQueueTest, PopsAgainWhatWasPutBackAndBeforeAllElse) {
  driver.Offer(5);
  driver.Offer(6);
  device.Pop(chain);

  device.UnPop(chain);
  EXPECT_EQ(device.in_flight(), 0u);
  EXPECT_TRUE(device.HasAvailable());

  for (const uint32_t head : {5u, 6u}) {
    ASSERT_EQ(device.Pop(chain), PopResult::kChain);
    EXPECT_EQ(chain.head(), head);
    device.Push(chain, 0);
  }
  EXPECT_EQ(device.Pop(chain), PopResult::kEmpty);
}

TEST_F(DeviceQueueTest, PutsBackSeveralChainsAsAStack) {
  Chain other;
  driver.Offer(5);
  driver.Offer(6);
  device.Pop(chain);
  device.Pop(other);

  device.UnPop(other);
  device.UnPop(chain);

  device.Pop(chain);
  device.Pop(other);
  EXPECT_EQ(chain.head(), 5u);
  EXPECT_EQ(other.head(), 6u);
  EXPECT_EQ(device.in_flight(), 2u);
}

TEST_F(DeviceQueueTest, AsksToBeCalledAgainForWhatWasPutBack) {
  OfferAndPop(5);
  EXPECT_FALSE(device.EnableNotifications());

  device.UnPop(chain);

  EXPECT_TRUE(device.EnableNotifications());
}

TEST_F(DeviceQueueTest, GoesOnAfterItWasMoved) {
  driver.Offer(5);
  driver.Offer(6);
  device.Pop(chain);
  device.UnPop(chain);

  DeviceQueue moved = std::move(device);

  for (const uint32_t head : {5u, 6u}) {
    ASSERT_EQ(moved.Pop(chain), PopResult::kChain);
    EXPECT_EQ(chain.head(), head);
    moved.Push(chain, 0);
  }
}

TEST_F(DeviceQueueTest, TakesTheSameDescriptorTwiceAsTwoChains) {
  Chain other;
  driver.Offer(5);
  driver.Offer(5);

  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  ASSERT_EQ(device.Pop(other), PopResult::kChain);
  device.Push(chain, 1);
  device.Push(other, 2);
  device.Publish();

  EXPECT_EQ(driver.Used(), (Used{{5, 1}, {5, 2}}));
}

TEST_F(DeviceQueueTest, DoesNotReadBackItsOwnIndex) {
  for (uint16_t head = 0; head < 3; ++head) driver.Offer(head);
  device.Pop(chain);
  device.Push(chain, 0);
  device.Publish();

  RawDevice(heap.memory(), addrs, 8).SetUsedIdx(77);
  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  EXPECT_EQ(chain.descriptors(), 1u);
  device.Push(chain, 0);
  device.Publish();

  EXPECT_EQ(driver.UsedIdx(), 2);
}

TEST_F(DeviceQueueTest, StopsTheProgramIfAChainIsCompletedTwice) {
  OfferAndPop(5);
  device.Push(chain, 0);

  EXPECT_DEATH(device.Push(chain, 0), "check failed");
  EXPECT_DEATH(device.UnPop(chain), "check failed");
}

TEST_F(DeviceQueueTest, StopsTheProgramIfAChainIsPoppedOver) {
  OfferAndPop(5);
  driver.Offer(6);

  EXPECT_DEATH(device.Pop(chain), "check failed");
}

TEST_F(DeviceQueueTest, StopsTheProgramIfMoreWasWrittenThanFits) {
  OfferAndPop(5);

  EXPECT_DEATH(device.Push(chain, 17), "check failed");
}

TEST(DeviceQueueCreateTest, RefusesWhatSplitRingMapRefuses) {
  const HeapMemory heap({{0, 4096}});
  const SplitRingAddrs addrs = LaySplitRing(GuestAddr(0), 8);
  SplitRingAddrs misaligned = addrs;
  misaligned.used = misaligned.used + 2;
  SplitRingAddrs outside = addrs;
  outside.used = GuestAddr(4096);

  const auto create = [&](const SplitRingAddrs& at, uint16_t size) {
    return DeviceQueue::Create(heap.memory(), at, {.size = size})
        .status()
        .code();
  };
  EXPECT_EQ(create(addrs, 8), absl::StatusCode::kOk);
  EXPECT_EQ(create(addrs, 0), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(addrs, 7), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(misaligned, 8), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(outside, 8), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace virtqueue
