// Tries virtqueue/owned_guest_memory.h.

#include "virtqueue/owned_guest_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "gtest/gtest.h"

namespace virtqueue {
namespace {

TEST(OwnedGuestMemoryTest, IsZeroAllOver) {
  const OwnedGuestMemory owned = *OwnedGuestMemory::Create(4096, GuestAddr(64));

  const absl::Span<std::byte> bytes =
      *owned.memory().Slice(GuestAddr(64), 4096);

  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0}), 4096);
}

TEST(OwnedGuestMemoryTest, IsRefusedIfItIsNothingOrWraps) {
  const GuestAddr top(std::numeric_limits<uint64_t>::max());

  EXPECT_FALSE(OwnedGuestMemory::Create(0).ok());
  EXPECT_FALSE(OwnedGuestMemory::Create(4096, top).ok());
}

TEST(OwnedGuestMemoryTest, IsRefusedIfTheSystemHasNoRoomForIt) {
  EXPECT_EQ(OwnedGuestMemory::Create(uint64_t{1} << 62).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(OwnedGuestMemoryTest, HandsOutAlignedPlacesOneAfterTheOther) {
  OwnedGuestMemory owned = *OwnedGuestMemory::Create(4096, GuestAddr(4));

  EXPECT_EQ(owned.Allocate(3, 1), GuestAddr(4));
  EXPECT_EQ(owned.Allocate(5, 16), GuestAddr(16));
  EXPECT_EQ(owned.Allocate(1, 1), GuestAddr(21));
  EXPECT_EQ(owned.bytes_left(), 4096u - 18u);
}

TEST(OwnedGuestMemoryTest, HandsOutItsLastByteAndThenStops) {
  OwnedGuestMemory owned = *OwnedGuestMemory::Create(64, GuestAddr(0));

  EXPECT_EQ(owned.Allocate(64, 64), GuestAddr(0));
  EXPECT_EQ(owned.bytes_left(), 0u);
  EXPECT_DEATH(owned.Allocate(1, 1), "check failed");
}

TEST(OwnedGuestMemoryTest, KeepsItsBytesWhenMoved) {
  OwnedGuestMemory from = *OwnedGuestMemory::Create(4096, GuestAddr(0));
  from.memory().Slice(GuestAddr(9), 1)->front() = std::byte{7};
  std::byte* const place = from.memory().Slice(GuestAddr(9), 1)->data();

  OwnedGuestMemory to = *OwnedGuestMemory::Create(64, GuestAddr(0));
  to = std::move(from);

  EXPECT_EQ(to.memory().Slice(GuestAddr(9), 1)->data(), place);
  EXPECT_EQ(*place, std::byte{7});
}

}  // namespace
}  // namespace virtqueue
