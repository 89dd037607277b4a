#include "virtqueue/split_ring.h"

#include <bit>

#include "absl/strings/str_format.h"
#include "virtqueue/check.h"
#include "virtqueue/ring_part.h"

namespace virtqueue {
namespace {

uint32_t DescBytes(uint32_t size) { return kDescriptorBytes * size; }
uint32_t AvailBytes(uint32_t size) { return 6 + 2 * size; }
uint32_t UsedBytes(uint32_t size) { return 6 + 8 * size; }

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
  const RingPart parts[] = {
      {"descriptor table", addrs.desc, DescBytes(size), kDescriptorAlign},
      {"available ring", addrs.avail, AvailBytes(size), kAvailAlign},
      {"used ring", addrs.used, UsedBytes(size), kUsedAlign}};
  status = CheckRingParts("2.7.1", parts);
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

}  // namespace virtqueue
