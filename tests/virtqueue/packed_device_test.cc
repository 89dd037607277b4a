// Tries virtqueue/packed_device.h: what is lawful, though it may be unusual.
// What is not lawful: malformed_list_test.cc.

#include "virtqueue/packed_device.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/packed_context.h"

namespace virtqueue {
namespace {

using Desc = RawPacked::Desc;

class PackedDeviceTest : public testing::Test, public PackedDeviceContext {
 protected:
  PackedDeviceTest() : PackedDeviceContext({.size = 5, .indirect = true}) {}

  // One descriptor of 16 writable bytes.
  void OfferOne(uint16_t id) {
    Offer(
        {{.addr = kBuffers + 16u * (id % 8u), .len = 16, .flags = kDescWrite}},
        id);
  }
};

TEST_F(PackedDeviceTest, PopsInTheOrderOfTheRingWhateverTheIds) {
  for (const uint16_t id : std::vector<uint16_t>{4, 0, 65535}) OfferOne(id);

  for (const uint32_t id : {4u, 0u, 65535u}) {
    ASSERT_EQ(Pop(), PopResult::kChain);
    EXPECT_EQ(chain.head(), id);
    device.Push(chain, 0);
  }
  EXPECT_EQ(Pop(), PopResult::kEmpty);
}

TEST_F(PackedDeviceTest, UsesOneSlotForAListAndSkipsTheRest) {
  Offer({{.addr = kBuffers, .len = 1},
         {.addr = kBuffers, .len = 2},
         {.addr = kBuffers, .len = 3, .flags = kDescWrite}},
        /*id=*/7);
  OfferOne(1);

  PopAndUse(/*written=*/3);
  PopAndUse();

  EXPECT_EQ(ring.Read(0), (Desc{kBuffers, 3, 7, 0x8080 | kDescWrite}));
  EXPECT_EQ(ring.Read(1).flags, 0x0080 | kDescNext);
  EXPECT_EQ(ring.Read(2).flags, 0x0080 | kDescWrite);
  EXPECT_EQ(ring.Read(3), (Desc{kBuffers + 16, 0, 1, 0x8080}));
}

TEST_F(PackedDeviceTest, WritesUsedDescriptorsInTheOrderOfCompletion) {
  Chain other;
  Offer({{.addr = kBuffers, .len = 1}, {.addr = kBuffers, .len = 2}}, 3);
  OfferOne(4);
  device.Pop(chain);
  device.Pop(other);

  device.Push(other, 16);
  device.Push(chain, 0);
  device.Publish();

  EXPECT_EQ(ring.Read(0).id, 4);
  EXPECT_EQ(ring.Read(1).id, 3);
  EXPECT_EQ(ring.Read(0).flags, 0x8080 | kDescWrite);
  EXPECT_EQ(ring.Read(1).flags, 0x8080);
}

TEST_F(PackedDeviceTest, ShowsTheFirstOfABatchLast) {
  for (uint16_t id = 0; id < 3; ++id) OfferOne(id);
  for (int i = 0; i < 3; ++i) {
    Pop();
    device.Push(chain, 0);
  }

  EXPECT_EQ(ring.Read(0).flags, 0x0080 | kDescWrite);
  EXPECT_TRUE(device.Publish());
  EXPECT_EQ(ring.Read(0).flags, 0x8080);
  EXPECT_FALSE(device.Publish());
}

TEST_F(PackedDeviceTest, TakesAListAcrossTheEndOfTheRing) {
  for (uint16_t id = 0; id < 4; ++id) {
    OfferOne(id);
    PopAndUse();
  }
  Offer({{.addr = kBuffers, .len = 1}, {.addr = kBuffers, .len = 2}}, 4);

  ASSERT_EQ(Pop(), PopResult::kChain);
  EXPECT_EQ(chain.readable_bytes(), 3u);
  device.Push(chain, 0);
  device.Publish();

  EXPECT_EQ(ring.Read(4).flags, 0x8080);
  OfferOne(2);
  PopAndUse();
  EXPECT_EQ(ring.Read(1), (Desc{kBuffers + 32, 0, 2, 0x0000}));
}

TEST_F(PackedDeviceTest, IgnoresAllFlagsOfATableButWrite) {
  const uint16_t stale = 0x8080 | kDescNext | kDescIndirect;
  OfferTable({{.addr = kMiddle, .len = 5, .id = 9, .flags = stale},
              {.addr = kMiddle,
               .len = 6,
               .flags = static_cast<uint16_t>(stale | kDescWrite)}},
             /*id=*/3);

  ASSERT_EQ(Pop(), PopResult::kChain);

  EXPECT_EQ(chain.head(), 3u);
  EXPECT_EQ(chain.readable_bytes(), 5u);
  EXPECT_EQ(chain.writable_bytes(), 6u);
  EXPECT_EQ(chain.descriptors(), 2u);
}

TEST_F(PackedDeviceTest, TakesOneSlotForATable) {
  OfferTable({{.addr = kMiddle, .len = 5}, {.addr = kMiddle, .len = 6}}, 3);
  OfferOne(4);

  PopAndUse();
  PopAndUse();

  EXPECT_EQ(ring.Read(1).id, 4);
  EXPECT_EQ(ring.Read(1).flags, 0x8080);
}

TEST_F(PackedDeviceTest, TakesATableAtAnOddAddress) {
  ring.WriteTable(GuestAddr(kMiddle + 101), {{{.addr = kMiddle, .len = 5}}});
  OfferAsItIs(
      {.addr = kMiddle + 101, .len = 16, .flags = kDescIndirect | kDescWrite});

  ASSERT_EQ(Pop(), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 5u);
}

TEST_F(PackedDeviceTest, GivesABufferOverAdjacentRegionsAsTwoSpans) {
  Offer({{.addr = kMiddle - 3, .len = 8}});

  ASSERT_EQ(Pop(), PopResult::kChain);

  ASSERT_EQ(chain.readable().size(), 2u);
  EXPECT_EQ(chain.readable()[0].size(), 3u);
  EXPECT_EQ(chain.readable()[1].size(), 5u);
}

TEST_F(PackedDeviceTest, TakesADescriptorOfNoBytesWhereverItPoints) {
  Offer({{.addr = ~uint64_t{0}},
         {.addr = kBuffers, .len = 2},
         {.addr = 1, .flags = kDescWrite}});

  ASSERT_EQ(Pop(), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 2u);
  EXPECT_EQ(chain.descriptors(), 3u);
}

TEST_F(PackedDeviceTest, PopsAgainWhatWasPutBackAndBeforeAllElse) {
  OfferOne(3);
  OfferOne(4);
  Pop();

  device.UnPop(chain);
  EXPECT_EQ(device.in_flight(), 0u);
  EXPECT_TRUE(device.EnableNotifications());

  for (const uint32_t id : {3u, 4u}) {
    ASSERT_EQ(Pop(), PopResult::kChain);
    EXPECT_EQ(chain.head(), id);
    device.Push(chain, 0);
  }
  EXPECT_EQ(Pop(), PopResult::kEmpty);
}

TEST_F(PackedDeviceTest, UsesAnotherWhereOneThatWasPutBackHasBeen) {
  Chain other;
  OfferOne(3);
  OfferOne(4);
  device.Pop(chain);
  device.Pop(other);
  device.UnPop(chain);
  device.Push(other, 1);
  device.Publish();

  PopAndUse(/*written=*/2);

  EXPECT_EQ(ring.Read(0), (Desc{kBuffers + 48, 1, 4, 0x8080 | kDescWrite}));
  EXPECT_EQ(ring.Read(1), (Desc{kBuffers + 64, 2, 3, 0x8080 | kDescWrite}));
}

TEST_F(PackedDeviceTest, GoesOnAfterItWasMoved) {
  OfferOne(3);
  OfferOne(4);
  device.Pop(chain);
  device.UnPop(chain);

  DeviceQueue moved = std::move(device);

  for (const uint32_t id : {3u, 4u}) {
    ASSERT_EQ(moved.Pop(chain), PopResult::kChain);
    EXPECT_EQ(chain.head(), id);
    moved.Push(chain, 0);
  }
}

TEST_F(PackedDeviceTest, StopsTheProgramIfAChainIsCompletedTwice) {
  OfferOne(3);
  PopAndUse();

  EXPECT_DEATH(device.Push(chain, 0), "check failed");
  EXPECT_DEATH(device.UnPop(chain), "check failed");
}

TEST_F(PackedDeviceTest, StopsTheProgramIfAChainIsPoppedOver) {
  OfferOne(3);
  Pop();
  OfferOne(4);

  EXPECT_DEATH(device.Pop(chain), "check failed");
}

TEST_F(PackedDeviceTest, StopsTheProgramIfMoreWasWrittenThanFits) {
  OfferOne(3);
  Pop();

  EXPECT_DEATH(device.Push(chain, 17), "check failed");
}

TEST(PackedDeviceCreateTest, RefusesWhatPackedRingMapRefuses) {
  const HeapMemory heap({{0, 4096}});
  const PackedRingAddrs addrs = LayPackedRing(GuestAddr(0), 7);
  PackedRingAddrs misaligned = addrs;
  misaligned.driver_events = misaligned.driver_events + 2;
  PackedRingAddrs outside = addrs;
  outside.device_events = GuestAddr(4096);

  const auto create = [&](const PackedRingAddrs& at, uint16_t size) {
    return DeviceQueue::Create(heap.memory(), at, {.size = size})
        .status()
        .code();
  };
  EXPECT_EQ(create(addrs, 7), absl::StatusCode::kOk);
  EXPECT_EQ(create(addrs, 0), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(addrs, 32769), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(misaligned, 7), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create(outside, 7), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace virtqueue
