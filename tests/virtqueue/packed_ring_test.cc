// Tries virtqueue/packed_ring.h. Offsets, sizes and numbers are those of the
// tables, structs and constants in virtio 1.3, 2.8, written out.

#include "virtqueue/packed_ring.h"

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"

namespace virtqueue {
namespace {

uint64_t Number(absl::Span<const std::byte> bytes) {  // little-endian
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  }
  return value;
}

TEST(PackedQueueSizeTest, IsAnyNumberFrom1To32768) {
  for (uint32_t size = 0; size <= 70000; ++size) {
    ASSERT_EQ(CheckPackedQueueSize(size).ok(), size >= 1 && size <= 32768)
        << size;
  }
  EXPECT_FALSE(CheckPackedQueueSize(0x80000000).ok());
}

TEST(PackedRingFlagsTest, AreAsIn281And2810) {
  EXPECT_EQ(kDescNext, 1);
  EXPECT_EQ(kDescWrite, 2);
  EXPECT_EQ(kDescIndirect, 4);
  EXPECT_EQ(kDescAvail, 0x80);
  EXPECT_EQ(kDescUsed, 0x8000);
  EXPECT_EQ(kEventsEnable, 0);
  EXPECT_EQ(kEventsDisable, 1);
  EXPECT_EQ(kEventsDesc, 2);
}

class PackedRingTest : public testing::Test {
 protected:
  static constexpr uint16_t kSize = 3;
  static constexpr PackedRingAddrs kAddrs = {
      .desc = GuestAddr(0x1000),
      .driver_events = GuestAddr(0x1000 + 48),
      .device_events = GuestAddr(0x1000 + 52),
  };

  const HeapMemory heap_{{{0x1000, 48 + 8}}};
  const PackedRing ring_ = *PackedRing::Map(heap_.memory(), kAddrs, kSize);

  uint64_t At(uint64_t offset, uint32_t len) const {
    return Number(heap_.Bytes(0x1000 + offset, len));
  }
};

TEST_F(PackedRingTest, DescriptorIsAddrLenIdFlags) {
  ring_.desc[2].Store(
      {.addr = 0x0123456789abcdef,
       .tail = {.len = 0x89abcdef, .id = 0x1234, .flags = 0x5678}});

  EXPECT_EQ(At(32, 8), 0x0123456789abcdefu);
  EXPECT_EQ(At(40, 4), 0x89abcdefu);
  EXPECT_EQ(At(44, 2), 0x1234u);
  EXPECT_EQ(At(46, 2), 0x5678u);
}

TEST_F(PackedRingTest, DescriptorIsReadAsItWasWritten) {
  ring_.desc[1].Store(
      {.addr = 0x0123456789abcdef,
       .tail = {.len = 0x89abcdef, .id = 0x1234, .flags = 0x5678}});

  const PackedDescriptor desc = ring_.desc[1].Load();
  EXPECT_EQ(desc.addr, 0x0123456789abcdefu);
  EXPECT_EQ(desc.tail.len, 0x89abcdefu);
  EXPECT_EQ(desc.tail.id, 0x1234);
  EXPECT_EQ(desc.tail.flags, 0x5678);
}

TEST_F(PackedRingTest, EventSuppressionIsDescThenFlags) {
  ring_.driver_events->Store({.desc = 0x1234, .flags = 0x5678});
  ring_.device_events->Store({.desc = 0x9abc, .flags = 0xdef0});

  EXPECT_EQ(At(48, 2), 0x1234u);
  EXPECT_EQ(At(50, 2), 0x5678u);
  EXPECT_EQ(At(52, 2), 0x9abcu);
  EXPECT_EQ(At(54, 2), 0xdef0u);
}

TEST(LayPackedRingTest, PutsEachPartAtItsAlignmentAndNoTwoOnALine) {
  for (const int n : {1, 3, 4, 5, 255, 256, 32767, 32768}) {
    const auto size = static_cast<uint16_t>(n);
    const PackedRingAddrs addrs = LayPackedRing(GuestAddr(1 << 20), size);
    const uint64_t desc = addrs.desc.value();
    const uint64_t driver = addrs.driver_events.value();
    const uint64_t device = addrs.device_events.value();

    ASSERT_EQ(desc % 64 + driver % 64 + device % 64, 0u);
    ASSERT_GE(driver, desc + 16 * size);
    ASSERT_GE(device, driver + 4);
    ASSERT_GE(desc + PackedRingBytes(size), device + 4);
  }
}

// What Map says of a ring of 4 slots, its parts at these addresses, in memory
// of two adjacent regions, [0, 256) and [256, 512).
absl::StatusCode MapOf(uint64_t desc, uint64_t driver, uint64_t device) {
  const HeapMemory heap({{0, 256}, {256, 256}});
  return PackedRing::Map(heap.memory(),
                         {.desc = GuestAddr(desc),
                          .driver_events = GuestAddr(driver),
                          .device_events = GuestAddr(device)},
                         4)
      .status()
      .code();
}

TEST(PackedRingMapTest, AcceptsPartsInWhicheverRegionAndOrder) {
  EXPECT_EQ(MapOf(0, 64, 68), absl::StatusCode::kOk);
  EXPECT_EQ(MapOf(448, 252, 256), absl::StatusCode::kOk);
  EXPECT_EQ(MapOf(192, 508, 0), absl::StatusCode::kOk);
}

TEST(PackedRingMapTest, RefusesAMisalignedPart) {
  EXPECT_EQ(MapOf(8, 128, 132), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 130, 136), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 128, 134), absl::StatusCode::kInvalidArgument);
}

TEST(PackedRingMapTest, RefusesPartsThatOverlap) {
  EXPECT_EQ(MapOf(0, 60, 128), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 128, 60), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MapOf(0, 64, 64), absl::StatusCode::kInvalidArgument);
}

TEST(PackedRingMapTest, RefusesAPartOutsideOfMemoryOrInTwoRegions) {
  EXPECT_EQ(MapOf(512, 128, 256), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(0, 512, 256), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(0, 256, 512), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(MapOf(208, 0, 320), absl::StatusCode::kOutOfRange);
}

TEST(PackedPositionTest, HasItsCounterInTheFlagsOfItsDescriptor) {
  const PackedPosition last(2, /*wrap_counter=*/true);
  EXPECT_EQ(last.slot(), 2u);
  EXPECT_EQ(last.available(), 0x0080);
  EXPECT_EQ(last.used(), 0x8080);
  EXPECT_EQ(last.off_wrap(), 0x8002);

  const PackedPosition behind(0, /*wrap_counter=*/false);
  EXPECT_EQ(behind.slot(), 0u);
  EXPECT_EQ(behind.available(), 0x8000);
  EXPECT_EQ(behind.used(), 0x0000);
  EXPECT_EQ(behind.off_wrap(), 0x0000);
}

TEST(PackedPositionTest, IsAWholeRingBeforeTheSameSlotOfTheNextLap) {
  for (const uint32_t size : {1u, 3u, 32768u}) {
    EXPECT_EQ(PackedPosition().DistanceTo(PackedPosition(0, false), size),
              size);
  }
}

}  // namespace
}  // namespace virtqueue
