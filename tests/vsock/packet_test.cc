// Packets, the memory of their payloads, and the queue they wait in.

#include "vsock/packet.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace vsock {
namespace {

class PacketTest : public ::testing::Test {
 protected:
  PacketPtr Named(uint32_t name, bool is_reply = false) {
    PacketPtr packet = pool_.Allocate(0);
    packet->hdr.flags = name;
    packet->is_reply = is_reply;
    return packet;
  }
  std::vector<uint32_t> TakeAll(PacketQueue& queue) {
    std::vector<uint32_t> names;
    while (PacketPtr packet = queue.PopFront()) {
      names.push_back(packet->hdr.flags);
    }
    return names;
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(1 << 12);
  PayloadArena arena_{absl::MakeSpan(memory_), virtqueue::GuestAddr(0x5000)};
  PacketPool pool_{PayloadMode::kReal, &arena_};
};

TEST_F(PacketTest, QueueIsFirstInFirstOut) {
  PacketQueue queue;
  for (uint32_t i = 1; i <= 3; ++i) queue.PushBack(Named(i));

  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(TakeAll(queue), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(PacketTest, QueueTakesBackInFrontWhatCouldNotGoOn) {
  PacketQueue queue;
  queue.PushBack(Named(1));
  queue.PushBack(Named(2));
  queue.PushFront(queue.PopFront());
  queue.PushBack(Named(3));

  EXPECT_EQ(queue.taken(), 0u);
  EXPECT_EQ(TakeAll(queue), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(queue.taken(), 3u);
}

TEST_F(PacketTest, ReplyGoesBeforeOthersAndBehindEarlierReplies) {
  PacketQueue queue;
  queue.PushBack(Named(1));
  queue.PushReply(Named(11, true));
  queue.PushBack(Named(2));
  queue.PushReply(Named(12, true));

  EXPECT_EQ(queue.replies(), 2u);
  EXPECT_EQ(TakeAll(queue), (std::vector<uint32_t>{11, 12, 1, 2}));
  EXPECT_EQ(queue.replies(), 0u);
}

TEST_F(PacketTest, ReplyIsAddedRightWhateverWasTakenBefore) {
  PacketQueue queue;
  queue.PushReply(Named(11, true));
  EXPECT_EQ(TakeAll(queue), (std::vector<uint32_t>{11}));
  queue.PushReply(Named(12, true));
  queue.PushBack(Named(1));
  queue.PushFront(queue.PopFront());
  queue.PushReply(Named(13, true));

  EXPECT_EQ(queue.replies(), 2u);
  EXPECT_EQ(queue.back()->hdr.flags, 1u);
  EXPECT_EQ(TakeAll(queue), (std::vector<uint32_t>{12, 13, 1}));
}

TEST_F(PacketTest, RemainderOfAPacketMayStandBeforeReplies) {
  PacketQueue queue;
  queue.PushBack(Named(1));
  PacketPtr cut = queue.PopFront();
  queue.PushReply(Named(11, true));
  queue.PushFront(std::move(cut));
  queue.PushReply(Named(12, true));

  EXPECT_EQ(TakeAll(queue), (std::vector<uint32_t>{1, 11, 12}));
}

TEST_F(PacketTest, QueueMovesWithAllItHolds) {
  PacketQueue from;
  from.PushReply(Named(11, true));
  from.PushBack(Named(1));
  PacketQueue to(std::move(from));
  to.PushReply(Named(12, true));

  EXPECT_TRUE(from.empty());
  EXPECT_EQ(to.replies(), 2u);
  EXPECT_EQ(TakeAll(to), (std::vector<uint32_t>{11, 12, 1}));
}

TEST_F(PacketTest, PoolCountsWhatWasNotGivenBack) {
  PacketPtr a = pool_.Allocate(0);
  PacketPtr b = pool_.Allocate(100);
  EXPECT_EQ(pool_.live(), 2u);

  a.reset();
  b.reset();
  EXPECT_EQ(pool_.live(), 0u);
}

TEST_F(PacketTest, SmallPayloadsLieInThePacketAndOthersInTheArena) {
  const PacketPtr small = pool_.Allocate(kStampBytes);
  const PacketPtr large = pool_.Allocate(kStampBytes + 1);

  EXPECT_EQ(small->block, nullptr);
  ASSERT_NE(large->block, nullptr);
  EXPECT_GE(arena_.AddressOf(large->block).value(), 0x5000u);
}

TEST_F(PacketTest, NoTwoLivePayloadsShareAByte) {
  std::vector<PacketPtr> live;
  std::set<std::byte*> taken;
  for (uint32_t len : {100u, 17u, 200u, 64u, 100u}) {
    live.push_back(pool_.Allocate(len));
    for (uint32_t i = 0; i < len; ++i) {
      EXPECT_TRUE(taken.insert(live.back()->data + i).second);
    }
  }
}

TEST_F(PacketTest, ArenaSaysWhenItIsUsedUpAndServesAgainOnceFreed) {
  std::vector<PacketPtr> live;
  while (PacketPtr packet = pool_.Allocate(1000)) {
    live.push_back(std::move(packet));
  }
  EXPECT_EQ(live.size(), 4u);  // blocks of 1024 in 4096 bytes

  live.pop_back();
  EXPECT_NE(pool_.Allocate(1024), nullptr);
}

TEST_F(PacketTest, ElidedPayloadKeepsItsStampAndNeedsNoArena) {
  PacketPool elided(PayloadMode::kElided, nullptr);
  const PacketPtr packet = elided.Allocate(65536);

  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(packet->hdr.len, 65536u);
  EXPECT_EQ(elided.Kept(65536), kStampBytes);
  EXPECT_EQ(elided.Kept(3), 3u);
}

TEST_F(PacketTest, AdoptedBlockReturnsToTheArenaWithItsPacket) {
  std::byte* block = arena_.Allocate(4096);
  ASSERT_NE(block, nullptr);
  ASSERT_EQ(arena_.Allocate(1), nullptr);

  PacketPtr packet = pool_.Adopt(block, 4096, kHdrBytes);
  EXPECT_EQ(packet->data, block + kHdrBytes);
  EXPECT_EQ(packet->capacity, 4096 - kHdrBytes);
  packet.reset();
  EXPECT_EQ(arena_.Allocate(4096), block);
}

TEST(PacketPoolDeathTest, PoolMayNotDieBeforeItsPackets) {
  PacketPtr packet;
  EXPECT_DEATH(
      {
        PacketPool pool(PayloadMode::kElided, nullptr);
        packet = pool.Allocate(0);
        pool.~PacketPool();
      },
      "check failed");
}

}  // namespace
}  // namespace vsock
