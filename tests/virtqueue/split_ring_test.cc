// Tries virtqueue/split_ring.h and virtqueue/ring_array.h. Offsets and sizes
// are those of the tables and structs in virtio 1.3, 2.7, written out.

#include "virtqueue/split_ring.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/ring_array.h"

namespace virtqueue {
namespace {

uint64_t Number(absl::Span<const std::byte> bytes) {  // little-endian
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  }
  return value;
}

TEST(QueueSizeTest, IsAPowerOfTwoUpTo32768) {
  const std::set<uint32_t> sizes = {1,    2,    4,     8,    16,   32,
                                    64,   128,  256,   512,  1024, 2048,
                                    4096, 8192, 16384, 32768};
  for (uint32_t size = 0; size <= 70000; ++size) {
    ASSERT_EQ(CheckQueueSize(size).ok(), sizes.count(size) == 1) << size;
  }
  EXPECT_FALSE(CheckQueueSize(0x80000000).ok());
}

class SplitRingTest : public testing::Test {
 protected:
  static constexpr uint16_t kSize = 4;
  static constexpr SplitRingAddrs kAddrs = {
      .desc = GuestAddr(0x1000),
      .avail = GuestAddr(0x1000 + 64),
      .used = GuestAddr(0x1000 + 64 + 16),
  };

  const HeapMemory heap_{{{0x1000, 64 + 16 + 38}}};
  const SplitRing ring_ = *SplitRing::Map(heap_.memory(), kAddrs, kSize);

  uint64_t At(uint64_t offset, uint32_t len) const {
    return Number(heap_.Bytes(0x1000 + offset, len));
  }
};

TEST_F(SplitRingTest, DescriptorIsAddrLenFlagsNext) {
  ring_.desc[2].Store({.addr = 0x0123456789abcdef,
                       .len = 0x89abcdef,
                       .flags = 0x1234,
                       .next = 0x5678});

  EXPECT_EQ(At(32, 8), 0x0123456789abcdefu);
  EXPECT_EQ(At(40, 4), 0x89abcdefu);
  EXPECT_EQ(At(44, 2), 0x1234u);
  EXPECT_EQ(At(46, 2), 0x5678u);
}

TEST_F(SplitRingTest, AvailableRingIsFlagsIdxHeadsUsedEvent) {
  ring_.avail_flags->Store(0x1111);
  ring_.avail_idx->Store(0x2222);
  for (uint16_t i = 0; i < kSize; ++i) ring_.avail_ring[i].Store(0x3330 + i);
  ring_.used_event->Store(0x4444);

  EXPECT_EQ(At(64, 2), 0x1111u);
  EXPECT_EQ(At(66, 2), 0x2222u);
  EXPECT_EQ(At(68, 8), 0x3333333233313330u);
  EXPECT_EQ(At(76, 2), 0x4444u);
}

TEST_F(SplitRingTest, UsedRingIsFlagsIdxElementsAvailEvent) {
  ring_.used_flags->Store(0x1111);
  ring_.used_idx->Store(0x2222);
  ring_.used_ring[3].id.Store(0x33333333);
  ring_.used_ring[3].len.Store(0x44444444);
  ring_.avail_event->Store(0x5555);

  EXPECT_EQ(At(80, 2), 0x1111u);
  EXPECT_EQ(At(82, 2), 0x2222u);
  EXPECT_EQ(At(84 + 3 * 8, 4), 0x33333333u);
  EXPECT_EQ(At(88 + 3 * 8, 4), 0x44444444u);
  EXPECT_EQ(At(84 + 4 * 8, 2), 0x5555u);
}

TEST_F(SplitRingTest, EntriesFallIntoTheSlotOfTheirNumberModuloTheSize) {
  ring_.avail_ring[65535].Store(0xaaaa);
  ring_.avail_ring[uint64_t{1} << 40].Store(0xbbbb);

  EXPECT_EQ(At(68 + 2 * 3, 2), 0xaaaau);
  EXPECT_EQ(At(68, 2), 0xbbbbu);
}

TEST_F(SplitRingTest, HasItsDescriptorsAndNoOther) {
  EXPECT_TRUE(ring_.desc.Has(3));
  EXPECT_FALSE(ring_.desc.Has(4));
  EXPECT_FALSE(ring_.desc.Has(0xffffffff));
  EXPECT_DEATH(ring_.desc.At(4), "check failed");
}

TEST(LaySplitRingTest, PutsEachPartAtItsAlignmentAndNoTwoOnALine) {
  for (uint32_t size = 1; size <= kMaxQueueSize; size *= 2) {
    const auto n = static_cast<uint16_t>(size);
    const SplitRingAddrs addrs = LaySplitRing(GuestAddr(1 << 20), n);
    const uint64_t desc = addrs.desc.value();
    const uint64_t avail = addrs.avail.value();
    const uint64_t used = addrs.used.value();

    ASSERT_EQ(desc % 64 + avail % 64 + used % 64, 0u);
    ASSERT_GE(avail, desc + 16 * size);
    ASSERT_GE(used, avail + 6 + 2 * size);
    ASSERT_GE(desc + SplitRingBytes(n), used + 6 + 8 * size);
  }
}

// What Map says of a ring of 4 entries, its parts at these addresses, in memory
// of two adjacent regions, [0, 256) and [256, 512).
absl::StatusCode MapOf(uint64_t desc, uint64_t avail, uint64_t used) {
  const HeapMemory heap({{0, 256}, {256, 256}});
  return SplitRing::Map(heap.memory(),
                        {.desc = GuestAddr(desc),
                         .avail = GuestAddr(avail),
                         .used = GuestAddr(used)},
                        4)
      .status()
      .code();
}

TEST(SplitRingMapTest, AcceptsPartsInWhicheverRegionAndOrder) {
  EXPECT_EQ(MapOf(0, 64, 80), absl::StatusCode::kOk);
  EXPECT_EQ(MapOf(448, 0, 256), absl::StatusCode::kOk);
  EXPECT_EQ(MapOf(192, 498, 472), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(192, 496, 456), absl::StatusCode::kOk);
}

TEST(SplitRingMapTest, RefusesAMisalignedPart) {
  EXPECT_EQ(MapOf(8, 128, 256), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 129, 256), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 128, 258), absl::StatusCode::kInvalidArgument);
}

TEST(SplitRingMapTest, RefusesPartsThatOverlap) {
  EXPECT_EQ(MapOf(0, 62, 128), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 128, 60), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 64, 76), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 64, 64), absl::StatusCode::kInvalidArgument);
}

TEST(SplitRingMapTest, RefusesAPartOutsideOfMemory) {
  EXPECT_EQ(MapOf(512, 128, 256), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(0, 500, 256), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(0, 128, 476), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(uint64_t{0} - 16, 128, 256), absl::StatusCode::kOutOfRange);
}

TEST(SplitRingMapTest, RefusesAPartThatStraddlesRegions) {
  EXPECT_EQ(MapOf(208, 0, 320), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(0, 250, 320), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(0, 128, 240), absl::StatusCode::kOutOfRange);
}

TEST(SplitRingMapTest, RefusesASizeThatIsNone) {
  const HeapMemory heap({{0, 256}});
  const SplitRingAddrs addrs = {
      .desc = GuestAddr(0), .avail = GuestAddr(128), .used = GuestAddr(144)};

  EXPECT_FALSE(SplitRing::Map(heap.memory(), addrs, 0).ok());
  EXPECT_FALSE(SplitRing::Map(heap.memory(), addrs, 3).ok());
  EXPECT_FALSE(SplitRing::Map(heap.memory(), addrs, 65536).ok());
}

TEST(SplitRingMapTest, RefusesARegionAtAnAddressThatAtomicsCannotUse) {
  const HeapMemory heap({{8, 504}});  // 16 falls on a multiple of 8 here
  const HeapMemory odd({{1, 511}});   // and there on none

  const SplitRingAddrs addrs = {
      .desc = GuestAddr(16), .avail = GuestAddr(128), .used = GuestAddr(144)};

  EXPECT_TRUE(SplitRing::Map(heap.memory(), addrs, 4).ok());
  EXPECT_EQ(SplitRing::Map(odd.memory(), addrs, 4).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace virtqueue
