// guest_memory.h: guest-physical addresses become bounds-checked spans.
//
// Spec: virtio 1.3, 2.7.5: `addr` of a descriptor is a physical address.
// Trust: addresses and lengths come from the driver and may be anything.
// Left out: ownership of the bytes, see owned_guest_memory.h; IOMMU addresses.
//
// The only place that turns an address into a pointer. Immutable after Create,
// so any number of threads may look up at once; a copy is a copy of the map.

#ifndef VIRTQUEUE_GUEST_MEMORY_H_
#define VIRTQUEUE_GUEST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/id.h"

namespace virtqueue {

using GuestAddr = Id<struct GuestAddrTag, uint64_t>;

constexpr GuestAddr operator+(GuestAddr at, uint64_t bytes) {
  return GuestAddr(at.value() + bytes);
}

class GuestMemory {
 public:
  struct Region {
    GuestAddr base;
    absl::Span<std::byte> bytes;
  };

  // InvalidArgument if there is no region, or one is empty, ends beyond the
  // last address, or overlaps another.
  static absl::StatusOr<GuestMemory> Create(std::vector<Region> regions);

  // [at, at + len), whole, in one region; else OutOfRange.
  absl::StatusOr<absl::Span<std::byte>> Slice(GuestAddr at, uint32_t len) const;

  // The same without a Status: a span whose data() is nullptr says no.
  absl::Span<std::byte> TrySlice(GuestAddr at, uint32_t len) const;

  // The bytes from `at` on that lie in one region, at most `len`; empty if `at`
  // lies in none. A buffer over adjacent regions is several such pieces.
  absl::Span<std::byte> Prefix(GuestAddr at, uint32_t len) const;

  // [at, at + len) if that is at least a byte and lies in the largest region,
  // where most buffers are; nothing means that Prefix has to look.
  std::optional<absl::Span<std::byte>> QuickSlice(GuestAddr at,
                                                  uint32_t len) const {
    const uint64_t first = at.value() - largest_.base.value();
    uint64_t last;
    // Of no bytes at all the last one is beyond, or the sum wraps.
    if (__builtin_add_overflow(first, uint64_t{len} - 1, &last) ||
        last >= largest_.bytes.size()) [[unlikely]]
      return std::nullopt;
    return absl::Span<std::byte>(largest_.bytes.data() + first, len);
  }

  // Where a span that one of the above gave begins; of several places that have
  // all of its bytes, one.
  GuestAddr AddressOf(absl::Span<const std::byte> bytes) const;

  // `count` consecutive Ts. OutOfRange as Slice; InvalidArgument if their place
  // in this process does not suit T, so that they can't be accessed atomically.
  template <typename T>
  absl::StatusOr<absl::Span<T>> Table(GuestAddr at, uint32_t count) const;

 private:
  explicit GuestMemory(std::vector<Region> largest_first);

  absl::StatusOr<std::byte*> Place(GuestAddr at, uint64_t bytes,
                                   size_t alignment) const;

  Region largest_;
  std::vector<Region> regions_;  // largest first
};

template <typename T>
absl::StatusOr<absl::Span<T>> GuestMemory::Table(GuestAddr at,
                                                 uint32_t count) const {
  const absl::StatusOr<std::byte*> place =
      Place(at, uint64_t{count} * sizeof(T), alignof(T));
  if (!place.ok()) return place.status();
  return absl::MakeSpan(reinterpret_cast<T*>(*place), count);
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_GUEST_MEMORY_H_
