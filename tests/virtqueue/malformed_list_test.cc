// Fault D2 of the field, on a packed ring: a malformed list at the head of the
// queue is parsed for ever, or reaches outside of memory. Here each kind breaks
// the queue for good.

#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/packed_context.h"

namespace virtqueue {
namespace {

using Desc = RawPacked::Desc;
using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 5;
constexpr uint64_t kTable = PackedDeviceContext::kTable;
constexpr Desc kOne = {.addr = kBuffers, .len = 1};
constexpr Desc kLinked = {.addr = kBuffers, .len = 1, .flags = kDescNext};
constexpr Desc kWritable = {.addr = kBuffers, .len = 1, .flags = kDescWrite};
constexpr Desc kOutside = {.addr = 1 << 30, .len = 1};

const char kNoRoom[] = "2.8.17: list has no room in the ring";
const char kNotAvailable[] =
    "2.8.17: list goes on with a descriptor that is not available";
const char kOutOfOrder[] = "2.8.17: readable descriptor after a writable one";
const char kOutsideOfMemory[] = "2.8.13: buffer is outside of memory";
const char kMixed[] = "2.8.19: INDIRECT in a list of NEXT";
const char kNotWhole[] = "2.8.7: indirect table is not of whole descriptors";
const char kTableOutside[] =
    "2.8.7: indirect table is not in one region of memory";

struct Malformed {
  std::string name;
  std::string fault;
  std::function<void(PackedDeviceContext&)> write;
  bool indirect = true;

  friend std::ostream& operator<<(std::ostream& out, const Malformed& list) {
    return out << list.name;
  }
};

void OfferTableOf(PackedDeviceContext& c, uint64_t at, uint32_t bytes) {
  c.OfferAsItIs({.addr = at, .len = bytes, .flags = kDescIndirect});
}

// Where the list would go on, without making that available.
void PutNext(PackedDeviceContext& c, uint16_t flags) {
  c.ring.Write(c.slot, {.addr = kBuffers, .len = 1, .flags = flags});
}

std::vector<Malformed> MalformedLists() {
  return {
      {"LoopOfTheWholeRing", kNoRoom,
       [](PackedDeviceContext& c) {
         for (uint32_t i = 0; i < kSize; ++i) c.OfferAsItIs(kLinked);
       }},
      {"LoopOfNoBytes", kNoRoom,
       [](PackedDeviceContext& c) {
         for (uint32_t i = 0; i < kSize; ++i)
           c.OfferAsItIs({.flags = kDescNext});
       }},
      {"GoesOnWithWhatIsNotAvailable", kNotAvailable,
       [](PackedDeviceContext& c) {
         c.OfferAsItIs(kLinked);
         PutNext(c, UsedIn(c.wrap_counter));
       }},
      {"GoesOnInTheWrongLap", kNotAvailable,
       [](PackedDeviceContext& c) {
         c.OfferAsItIs(kLinked);
         PutNext(c, AvailableIn(!c.wrap_counter));
       }},
      {"BufferOutsideOfMemory", kOutsideOfMemory,
       [](PackedDeviceContext& c) { c.Offer({kOutside}); }},
      {"BufferOneByteTooLong", kOutsideOfMemory,
       [](PackedDeviceContext& c) {
         c.Offer({{.addr = kBuffersEnd - 3, .len = 4}});
       }},
      {"BufferAtTheLastAddress", kOutsideOfMemory,
       [](PackedDeviceContext& c) {
         c.Offer({{.addr = ~uint64_t{0}, .len = 0xffffffff}});
       }},
      {"SecondBufferOutsideOfMemory", kOutsideOfMemory,
       [](PackedDeviceContext& c) {
         c.Offer({kOne, kOutside});
       }},
      {"BufferOfATableOutsideOfMemory", kOutsideOfMemory,
       [](PackedDeviceContext& c) { c.OfferTable({kOutside}); }},
      {"ReadableAfterWritable", kOutOfOrder,
       [](PackedDeviceContext& c) {
         c.Offer({kWritable, kOne});
       }},
      {"ReadableAfterWritableOfNoBytes", kOutOfOrder,
       [](PackedDeviceContext& c) {
         c.Offer({{.flags = kDescWrite}, kOne});
       }},
      {"ReadableAfterWritableInATable", kOutOfOrder,
       [](PackedDeviceContext& c) {
         c.OfferTable({kWritable, kOne});
       }},
      {"TableTogetherWithNext", kMixed,
       [](PackedDeviceContext& c) {
         c.ring.WriteTable(GuestAddr(kTable), {kOne});
         c.Offer({{.addr = kTable, .len = 16, .flags = kDescIndirect}, kOne});
       }},
      {"TableAtTheEndOfAList", kMixed,
       [](PackedDeviceContext& c) {
         c.ring.WriteTable(GuestAddr(kTable), {kOne});
         c.Offer({kOne, {.addr = kTable, .len = 16, .flags = kDescIndirect}});
       }},
      {"TableLongerThanTheQueue", "2.8.17: list is longer than the queue size",
       [](PackedDeviceContext& c) {
         c.OfferTable(std::vector<Desc>(kSize + 1, kOne));
       }},
      {"TableOfNoBytes", kNotWhole,
       [](PackedDeviceContext& c) { OfferTableOf(c, kTable, 0); }},
      {"TableOfHalfADescriptor", kNotWhole,
       [](PackedDeviceContext& c) { OfferTableOf(c, kTable, 8); }},
      {"TableOfOneAndAByte", kNotWhole,
       [](PackedDeviceContext& c) { OfferTableOf(c, kTable, 17); }},
      {"TableOutsideOfMemory", kTableOutside,
       [](PackedDeviceContext& c) { OfferTableOf(c, 1 << 30, 16); }},
      {"TableThatStraddlesRegions", kTableOutside,
       [](PackedDeviceContext& c) { OfferTableOf(c, kMiddle - 16, 32); }},
      {"TableOf4GiBLess16", kTableOutside,
       [](PackedDeviceContext& c) { OfferTableOf(c, kTable, 0xfffffff0); }},
      {"TableThatWasNotNegotiated", "2.8.19: INDIRECT was not negotiated",
       [](PackedDeviceContext& c) { c.OfferTable({kOne}); },
       /*indirect=*/false},
  };
}

// A device queue that is broken stays so, in every way, and says why.
void ExpectBrokenForGood(PackedDeviceContext& context,
                         const std::string& fault) {
  EXPECT_EQ(context.Fault(), fault);
  for (uint16_t slot = 0; slot < kSize; ++slot) {  // lawful after all
    context.ring.Write(slot, {.addr = kBuffers, .len = 1, .flags = 0x0080});
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(context.Pop(), PopResult::kBroken);
  EXPECT_FALSE(context.chain.pending());
  EXPECT_TRUE(context.chain.readable().empty());
  EXPECT_TRUE(context.chain.writable().empty());
  EXPECT_FALSE(context.device.HasAvailable());
  EXPECT_FALSE(context.device.EnableNotifications());
  EXPECT_FALSE(context.device.Publish());
  EXPECT_EQ(context.device.in_flight(), 0u);
  EXPECT_EQ(context.Fault(), fault);
}

class MalformedListTest : public testing::TestWithParam<Malformed> {
 protected:
  PackedDeviceContext context_{
      {.size = kSize, .indirect = GetParam().indirect}};
};

TEST_P(MalformedListTest, BreaksTheQueueForGood) {
  GetParam().write(context_);

  EXPECT_EQ(context_.Pop(), PopResult::kBroken);

  ExpectBrokenForGood(context_, GetParam().fault);
}

TEST_P(MalformedListTest, BreaksTheQueueForGoodAcrossTheEndOfTheRing) {
  for (int i = 0; i < kSize - 1; ++i) {
    context_.Offer({kOne});
    ASSERT_EQ(context_.PopAndUse(), PopResult::kChain);
  }
  GetParam().write(context_);

  EXPECT_EQ(context_.Pop(), PopResult::kBroken);

  EXPECT_EQ(context_.Fault(), GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(D2, MalformedListTest,
                         testing::ValuesIn(MalformedLists()),
                         [](const auto& test) { return test.param.name; });

class HostileDriverTest : public testing::Test, public PackedDeviceContext {
 protected:
  HostileDriverTest() : PackedDeviceContext({.size = kSize}) {}
};

TEST_F(HostileDriverTest, OffersASlotThatTheDeviceStillHasAndBreaksTheQueue) {
  Chain chains[kSize];
  for (Chain& each : chains) {
    Offer({kOne});
    ASSERT_EQ(device.Pop(each), PopResult::kChain);
  }
  Offer({kOne});

  EXPECT_EQ(Pop(), PopResult::kBroken);

  EXPECT_EQ(Fault(), "2.8.16: descriptor changed before it was used");
}

TEST_F(HostileDriverTest, OffersAListOverASlotTheDeviceHasAndBreaksTheQueue) {
  Chain chains[kSize - 1];
  for (Chain& each : chains) {
    Offer({kOne});
    ASSERT_EQ(device.Pop(each), PopResult::kChain);
  }
  Offer({kOne, kOne});

  EXPECT_EQ(Pop(), PopResult::kBroken);

  EXPECT_EQ(Fault(), kNoRoom);
}

TEST_F(HostileDriverTest, FindsNoRoomInWhatIsUsedButNotPublished) {
  Chain chains[kSize];
  for (Chain& each : chains) {
    Offer({kOne});
    device.Pop(each);
    device.Push(each, 0);
  }
  Offer({kOne});

  EXPECT_EQ(Pop(), PopResult::kBroken);
}

TEST_F(HostileDriverTest, ChangesADescriptorAfterItWasPoppedToNoEffect) {
  Offer({{.addr = kBuffers, .len = 4, .flags = kDescWrite}}, /*id=*/3);
  Pop();
  ring.Write(0, {.addr = 1 << 30, .len = 1 << 20, .id = 9, .flags = 0x0080});

  EXPECT_EQ(chain.writable_bytes(), 4u);
  EXPECT_EQ(chain.writable()[0].data(), heap.Bytes(kBuffers, 4).data());
  device.Push(chain, 4);
  device.Publish();

  EXPECT_EQ(ring.Read(0).id, 3);
  EXPECT_EQ(ring.Read(0).len, 4u);
}

TEST_F(HostileDriverTest, ChangesADescriptorAfterItWasPutBackToNoEffect) {
  Offer({{.addr = kBuffers, .len = 4}}, /*id=*/3);
  Pop();
  device.UnPop(chain);
  ring.Write(0, {.addr = 1 << 30, .len = 1 << 20, .id = 9, .flags = 0});

  ASSERT_EQ(Pop(), PopResult::kChain);

  EXPECT_EQ(chain.head(), 3u);
  EXPECT_EQ(chain.readable_bytes(), 4u);
}

TEST_F(HostileDriverTest, GivesTwoListsOneIdAndGetsItTwice) {
  Chain other;
  Offer({kOne}, /*id=*/3);
  Offer({kOne}, /*id=*/3);
  device.Pop(chain);
  device.Pop(other);
  device.Push(other, 0);
  device.Push(chain, 0);
  device.Publish();

  EXPECT_EQ(ring.Read(0).id, 3);
  EXPECT_EQ(ring.Read(1).id, 3);
}

TEST_F(HostileDriverTest, ScribblesOverTheDevicesStateToNoEffect) {
  Offer({kOne}, /*id=*/1);
  PopAndUse();
  ring.WriteDeviceEvents(0xffff, 3);
  ring.Write(0, {.addr = ~uint64_t{0}, .len = 77, .id = 99, .flags = 0xffff});

  Offer({kOne}, /*id=*/2);
  ASSERT_EQ(PopAndUse(), PopResult::kChain);

  EXPECT_EQ(ring.Read(1).id, 2);
  EXPECT_EQ(ring.Read(1).flags, 0x8080);
}

TEST_F(HostileDriverTest, BreaksTheQueueAndPublishesNothingAnyMore) {
  Offer({kOne});
  Offer({kOutside});
  Chain held;
  device.Pop(held);
  Pop();

  device.Push(held, 0);

  EXPECT_FALSE(device.Publish());
  EXPECT_EQ(ring.Read(0).flags, 0x0080);
}

TEST(LongListTest, BreaksTheQueueIfItIsOfMoreThan4GiB) {
  constexpr uint32_t kBlock = 4 << 20;
  const HeapMemory heap({{0, PackedRingBytes(2050)}, {kBuffers, kBlock}});
  const PackedRingAddrs addrs = LayPackedRing(GuestAddr(0), 2050);
  RawPacked ring(heap.memory(), addrs, 2050);
  DeviceQueue device =
      *DeviceQueue::Create(heap.memory(), addrs, {.size = 2050});
  Desc block = {.addr = kBuffers, .len = kBlock, .flags = 0x0080 | kDescNext};
  for (uint16_t i = 0; i < 2049; ++i) {
    block.flags = 0x0080 | (i == 1023 || i == 2048 ? 0 : kDescNext);
    ring.Write(i, block);
  }
  Chain chain;

  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  EXPECT_EQ(chain.readable_bytes(), uint64_t{1} << 32);
  device.Push(chain, 0);

  EXPECT_EQ(device.Pop(chain), PopResult::kBroken);
  EXPECT_EQ(device.status().message(),
            "2.8.4: list is of more than 2^32 bytes");
}

}  // namespace
}  // namespace virtqueue
