#include "virtqueue/guest_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "virtqueue/check.h"

namespace virtqueue {
namespace {

absl::Status CheckRegion(const GuestMemory::Region& region) {
  const uint64_t size = region.bytes.size();
  if (size == 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "memory region at %#x has no bytes", region.base.value()));
  }
  if (size > std::numeric_limits<uint64_t>::max() - region.base.value()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("memory region at %#x wraps past the last address",
                        region.base.value()));
  }
  return absl::OkStatus();
}

// `regions` in order of their base.
absl::Status CheckDisjoint(absl::Span<const GuestMemory::Region> regions) {
  for (size_t i = 1; i < regions.size(); ++i) {
    const GuestMemory::Region& below = regions[i - 1];
    if (regions[i].base.value() - below.base.value() < below.bytes.size()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("memory regions at %#x and %#x overlap",
                          below.base.value(), regions[i].base.value()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GuestMemory> GuestMemory::Create(std::vector<Region> regions) {
  if (regions.empty()) {
    return absl::InvalidArgumentError("guest memory has no region");
  }
  for (const Region& region : regions) {
    if (absl::Status status = CheckRegion(region); !status.ok()) return status;
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.base < b.base; });
  if (absl::Status status = CheckDisjoint(regions); !status.ok()) return status;
  std::stable_sort(regions.begin(), regions.end(),
                   [](const Region& a, const Region& b) {
                     return a.bytes.size() > b.bytes.size();
                   });
  return GuestMemory(std::move(regions));
}

absl::StatusOr<absl::Span<std::byte>> GuestMemory::Slice(GuestAddr at,
                                                         uint32_t len) const {
  const absl::Span<std::byte> slice = TrySlice(at, len);
  if (slice.data() == nullptr) {
    return absl::OutOfRangeError(
        absl::StrFormat("[%#x, +%u) leaves guest memory", at.value(), len));
  }
  return slice;
}

absl::Span<std::byte> GuestMemory::TrySlice(GuestAddr at, uint32_t len) const {
  for (const Region& region : regions_) {
    const uint64_t offset = at.value() - region.base.value();
    if (offset <= region.bytes.size() && len <= region.bytes.size() - offset) {
      return region.bytes.subspan(offset, len);
    }
  }
  return {};
}

absl::Span<std::byte> GuestMemory::Prefix(GuestAddr at, uint32_t len) const {
  for (const Region& region : regions_) {
    const uint64_t offset = at.value() - region.base.value();
    if (offset < region.bytes.size()) return region.bytes.subspan(offset, len);
  }
  return {};
}

GuestAddr GuestMemory::AddressOf(absl::Span<const std::byte> bytes) const {
  const auto at = reinterpret_cast<uintptr_t>(bytes.data());
  for (const Region& region : regions_) {
    const auto base = reinterpret_cast<uintptr_t>(region.bytes.data());
    const uintptr_t offset = at - base;
    if (at >= base && offset < region.bytes.size() &&
        bytes.size() <= region.bytes.size() - offset) {
      return region.base + offset;
    }
  }
  CheckFailed(__FILE__, __LINE__, "span of this memory");
}

GuestMemory::GuestMemory(std::vector<Region> largest_first)
    : largest_(largest_first.front()), regions_(std::move(largest_first)) {}

absl::StatusOr<std::byte*> GuestMemory::Place(GuestAddr at, uint64_t bytes,
                                              size_t alignment) const {
  if (bytes > std::numeric_limits<uint32_t>::max()) {
    return absl::OutOfRangeError("a table of 4 GiB or more");
  }
  absl::StatusOr<absl::Span<std::byte>> slice =
      Slice(at, static_cast<uint32_t>(bytes));
  if (!slice.ok()) return slice.status();
  if (reinterpret_cast<uintptr_t>(slice->data()) % alignment != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%#x is mapped to a place that is not a multiple of %u",
                        at.value(), alignment));
  }
  return slice->data();
}

}  // namespace virtqueue
