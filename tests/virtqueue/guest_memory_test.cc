// Tries virtqueue/guest_memory.h.

#include "virtqueue/guest_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"

namespace virtqueue {
namespace {

constexpr uint64_t kTop = std::numeric_limits<uint64_t>::max();

absl::StatusCode CreateWith(const std::vector<HeapMemory::Extent>& extents) {
  static std::byte place[64];  // only its addresses matter
  std::vector<GuestMemory::Region> regions;
  for (const HeapMemory::Extent& extent : extents) {
    regions.push_back(
        {.base = GuestAddr(extent.base), .bytes = {place, extent.size}});
  }
  return GuestMemory::Create(regions).status().code();
}

TEST(GuestMemoryTest, IsRefusedWithoutRegions) {
  EXPECT_EQ(CreateWith({}), absl::StatusCode::kInvalidArgument);
}

TEST(GuestMemoryTest, IsRefusedWithAnEmptyRegion) {
  EXPECT_EQ(CreateWith({{0, 16}, {64, 0}}), absl::StatusCode::kInvalidArgument);
}

TEST(GuestMemoryTest, IsRefusedIfARegionWrapsPastTheLastAddress) {
  EXPECT_EQ(CreateWith({{kTop - 15, 17}}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateWith({{kTop - 16, 16}}), absl::StatusCode::kOk);
}

TEST(GuestMemoryTest, IsRefusedIfRegionsShareAByteInWhateverOrder) {
  EXPECT_EQ(CreateWith({{0, 17}, {16, 16}}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateWith({{16, 16}, {0, 17}}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateWith({{16, 16}, {16, 16}}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateWith({{16, 16}, {0, 16}}), absl::StatusCode::kOk);
}

TEST(GuestMemoryTest, RefusesWhatIsNotWhollyInsideOfARegion) {
  const HeapMemory heap({{0x100, 16}, {0x1000, 32}});
  const GuestMemory& memory = heap.memory();

  EXPECT_FALSE(memory.Slice(GuestAddr(0xff), 1).ok());
  EXPECT_FALSE(memory.Slice(GuestAddr(0xff), 2).ok());
  EXPECT_FALSE(memory.Slice(GuestAddr(0x100), 17).ok());
  EXPECT_FALSE(memory.Slice(GuestAddr(0x110), 1).ok());
  EXPECT_FALSE(memory.Slice(GuestAddr(0x100), 0xffffffff).ok());
  EXPECT_FALSE(memory.Slice(GuestAddr(kTop), 1).ok());
  EXPECT_FALSE(memory.Slice(GuestAddr(kTop), 0xffffffff).ok());
  EXPECT_EQ(memory.Slice(GuestAddr(0x101), 16).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(memory.TrySlice(GuestAddr(0x101), 16).data(), nullptr);
}

TEST(GuestMemoryTest, GivesTheBytesAtTheirDistanceFromTheBase) {
  const HeapMemory heap({{0x100, 16}, {0x1000, 32}});
  const GuestMemory& memory = heap.memory();
  std::byte* const first = heap.Bytes(0x100, 1).data();
  std::byte* const second = heap.Bytes(0x1000, 1).data();

  EXPECT_EQ(memory.Slice(GuestAddr(0x100), 16)->data(), first);
  EXPECT_EQ(memory.Slice(GuestAddr(0x10f), 1)->data(), first + 15);
  EXPECT_EQ(memory.Slice(GuestAddr(0x1004), 28)->data(), second + 4);
  EXPECT_EQ(memory.Slice(GuestAddr(0x1004), 28)->size(), 28u);
}

TEST(GuestMemoryTest, GivesNoBytesAtTheEndOfARegion) {
  const HeapMemory heap({{0x100, 16}});

  ASSERT_TRUE(heap.memory().Slice(GuestAddr(0x110), 0).ok());
  EXPECT_FALSE(heap.memory().Slice(GuestAddr(0x111), 0).ok());
}

TEST(GuestMemoryTest, PrefixEndsWhereTheRegionDoes) {
  const HeapMemory heap({{0x100, 16}, {0x110, 8}});
  const GuestMemory& memory = heap.memory();

  EXPECT_EQ(memory.Prefix(GuestAddr(0x10c), 100).size(), 4u);
  EXPECT_EQ(memory.Prefix(GuestAddr(0x110), 100).size(), 8u);
  EXPECT_EQ(memory.Prefix(GuestAddr(0x110), 3).size(), 3u);
  EXPECT_TRUE(memory.Prefix(GuestAddr(0x118), 1).empty());
  EXPECT_TRUE(memory.Prefix(GuestAddr(0xff), 1).empty());
}

// The quick way may say "look closer", but never gives other bytes.
TEST(GuestMemoryTest, QuickSliceIsTheSliceOrNothing) {
  const HeapMemory heap({{8, 8}, {32, 16}});
  for (uint64_t at = 0; at < 64; ++at) {
    for (uint32_t len = 0; len < 24; ++len) {
      const auto quick = heap.memory()
                             .QuickSlice(GuestAddr(at), len)
                             .value_or(absl::Span<std::byte>());
      const bool in_largest = at >= 32 && len > 0 && at + len <= 48;

      ASSERT_EQ(quick.data(),
                in_largest ? &heap.Bytes(32, 16)[at - 32] : nullptr)
          << at << " " << len;
      ASSERT_EQ(quick.size(), in_largest ? len : 0);
    }
  }
}

TEST(GuestMemoryTest, QuickSliceLooksClosestAtTheEdgesOfTheNumbers) {
  const HeapMemory heap({{kTop - 16, 16}});
  const GuestMemory& memory = heap.memory();

  EXPECT_EQ(memory.QuickSlice(GuestAddr(kTop - 16), 16)->size(), 16u);
  EXPECT_FALSE(memory.QuickSlice(GuestAddr(kTop - 16), 17));
  EXPECT_FALSE(memory.QuickSlice(GuestAddr(kTop - 16), 0xffffffff));
  EXPECT_FALSE(memory.QuickSlice(GuestAddr(kTop), 1));
  EXPECT_FALSE(memory.QuickSlice(GuestAddr(0), 1));
}

TEST(GuestMemoryDeathTest, SpanOfOtherMemoryHasNoAddress) {
  const HeapMemory heap({{0, 64}});
  const HeapMemory other({{0, 64}});

  EXPECT_DEATH(heap.memory().AddressOf(other.Bytes(0, 16)),
               "check failed: span of this memory");
}

TEST(GuestMemoryTest, SpanIsFoundWhereAllOfItIs) {
  std::array<std::byte, 150> host;
  const auto memory = GuestMemory::Create(
      {{GuestAddr(0x1000), absl::MakeSpan(host).first(100)},
       {GuestAddr(0x9000), absl::MakeSpan(host).subspan(50)}});
  const absl::Span<std::byte> span = memory->TrySlice(GuestAddr(0x9028), 20);

  EXPECT_EQ(memory->AddressOf(span), GuestAddr(0x9028));
}

TEST(GuestMemoryTest, TableHasToSuitItsElementInThisProcess) {
  const HeapMemory heap({{1, 64}});  // so that an odd address is aligned here

  EXPECT_TRUE(heap.memory().Table<uint64_t>(GuestAddr(1), 8).ok());
  EXPECT_EQ(heap.memory().Table<uint64_t>(GuestAddr(8), 1).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(heap.memory().Table<uint64_t>(GuestAddr(1), 9).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(GuestMemoryTest, TableOfMoreBytesThanALengthCanSayIsRefused) {
  const HeapMemory heap({{0, 64}});

  EXPECT_EQ(
      heap.memory().Table<uint64_t>(GuestAddr(0), 1u << 29).status().code(),
      absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace virtqueue
