#include "virtqueue/split_ring.h"

#include <bit>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "virtqueue/check.h"

namespace virtqueue {
namespace {

struct Part {
  absl::string_view name;
  GuestAddr at;
  uint32_t bytes;
  uint32_t align;
};

uint32_t DescBytes(uint32_t size) { return kDescriptorBytes * size; }
uint32_t AvailBytes(uint32_t size) { return 6 + 2 * size; }
uint32_t UsedBytes(uint32_t size) { return 6 + 8 * size; }

uint64_t RoundToLine(uint64_t bytes) {
  return (bytes + kCacheLine - 1) & ~(kCacheLine - 1);
}

absl::Status CheckAlign(const Part& part) {
  if (part.at.value() % part.align == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("2.7.1: %s at %#x is not a multiple of %u", part.name,
                      part.at.value(), part.align));
}

absl::Status CheckApart(const Part& a, const Part& b) {
  const bool apart = b.at.value() - a.at.value() >= a.bytes &&
                     a.at.value() - b.at.value() >= b.bytes;
  if (apart) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("2.7: %s and %s overlap", a.name, b.name));
}

absl::Status CheckParts(const Part& desc, const Part& avail, const Part& used) {
  absl::Status status = CheckAlign(desc);
  status.Update(CheckAlign(avail));
  status.Update(CheckAlign(used));
  status.Update(CheckApart(desc, avail));
  status.Update(CheckApart(desc, used));
  status.Update(CheckApart(avail, used));
  return status;
}

// The little-endian number in eight bytes from `offset` on, each read once.
uint64_t LoadBytes(absl::Span<const std::byte> bytes, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(value); ++i) {
    const std::byte& byte = bytes[offset + i];
    const uint64_t loaded = reinterpret_cast<const SharedLe8&>(byte).Load();
    value |= loaded << (8 * i);
  }
  return value;
}

}  // namespace

absl::Status CheckQueueSize(uint32_t size) {
  if (std::has_single_bit(size) && size <= kMaxQueueSize) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "2.7: queue size %u is not a power of two up to 32768", size));
}

uint32_t SplitRingBytes(uint16_t size) {
  return static_cast<uint32_t>(RoundToLine(DescBytes(size)) +
                               RoundToLine(AvailBytes(size)) +
                               RoundToLine(UsedBytes(size)));
}

SplitRingAddrs LaySplitRing(GuestAddr base, uint16_t size) {
  VSOCK_CHECK(base.value() % kCacheLine == 0);
  const GuestAddr avail = base + RoundToLine(DescBytes(size));
  return {.desc = base,
          .avail = avail,
          .used = avail + RoundToLine(AvailBytes(size))};
}

absl::StatusOr<SplitRing> SplitRing::Map(const GuestMemory& memory,
                                         const SplitRingAddrs& addrs,
                                         uint32_t size) {
  absl::Status status = CheckQueueSize(size);
  if (!status.ok()) return status;
  status = CheckParts(
      {"descriptor table", addrs.desc, DescBytes(size), kDescriptorAlign},
      {"available ring", addrs.avail, AvailBytes(size), kAvailAlign},
      {"used ring", addrs.used, UsedBytes(size), kUsedAlign});
  if (!status.ok()) return status;

  const auto desc = memory.Table<SharedDescriptor>(addrs.desc, size);
  const auto avail = memory.Table<SharedLe16>(addrs.avail, 3 + size);
  const auto used = memory.Table<SharedLe16>(addrs.used, 3 + 4 * size);
  const auto elems = memory.Table<SharedUsedElem>(addrs.used + 4, size);
  status.Update(desc.status());
  status.Update(avail.status());
  status.Update(used.status());
  status.Update(elems.status());
  if (!status.ok()) return status;
  return SplitRing{.desc = RingArray(*desc),
                   .avail_flags = &(*avail)[0],
                   .avail_idx = &(*avail)[1],
                   .avail_ring = RingArray(avail->subspan(2, size)),
                   .used_event = &(*avail)[2 + size],
                   .used_flags = &(*used)[0],
                   .used_idx = &(*used)[1],
                   .used_ring = RingArray(*elems),
                   .avail_event = &(*used)[2 + 4 * size]};
}

Descriptor IndirectTable::LoadUnaligned(uint32_t index) const {
  const size_t at = size_t{index} * kDescriptorBytes;
  const uint64_t rest = LoadBytes(bytes_, at + sizeof(uint64_t));
  return {.addr = LoadBytes(bytes_, at),
          .len = static_cast<uint32_t>(rest),
          .flags = static_cast<uint16_t>(rest >> 32),
          .next = static_cast<uint16_t>(rest >> 48)};
}

}  // namespace virtqueue
