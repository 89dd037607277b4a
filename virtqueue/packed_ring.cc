#include "virtqueue/packed_ring.h"

#include "absl/strings/str_format.h"
#include "virtqueue/check.h"
#include "virtqueue/ring_part.h"

namespace virtqueue {

absl::Status CheckPackedQueueSize(uint32_t size) {
  if (size >= 1 && size <= kMaxQueueSize) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("2.8: queue size %u is not from 1 to 32768", size));
}

uint32_t PackedRingBytes(uint16_t size) {
  return static_cast<uint32_t>(RoundToLine(uint64_t{size} * kDescriptorBytes) +
                               2 * RoundToLine(kEventsBytes));
}

PackedRingAddrs LayPackedRing(GuestAddr base, uint16_t size) {
  VSOCK_CHECK(base.value() % kCacheLine == 0);
  const GuestAddr events =
      base + RoundToLine(uint64_t{size} * kDescriptorBytes);
  return {.desc = base,
          .driver_events = events,
          .device_events = events + RoundToLine(kEventsBytes)};
}

std::optional<uint32_t> PackedSlotsBetween(uint16_t from, uint16_t to,
                                           uint32_t size) {
  const PackedPosition first = PackedPosition::Of(from);
  const PackedPosition second = PackedPosition::Of(to);
  if (first.slot() >= size || second.slot() >= size) return std::nullopt;
  // A slot behind within one lap is "ahead" by about 2^32.
  const uint32_t ahead = first.DistanceTo(second, size);
  if (ahead > size) return std::nullopt;
  return ahead;
}

std::ostream& operator<<(std::ostream& out, const PackedTail& tail) {
  return out << "{len " << tail.len << " id " << tail.id << " flags "
             << tail.flags << '}';
}

absl::StatusOr<PackedRing> PackedRing::Map(const GuestMemory& memory,
                                           const PackedRingAddrs& addrs,
                                           uint32_t size) {
  absl::Status status = CheckPackedQueueSize(size);
  if (!status.ok()) return status;
  const RingPart parts[] = {{"descriptor ring", addrs.desc,
                             kDescriptorBytes * size, kDescriptorAlign},
                            {"driver event suppression", addrs.driver_events,
                             kEventsBytes, kEventsAlign},
                            {"device event suppression", addrs.device_events,
                             kEventsBytes, kEventsAlign}};
  status = CheckRingParts("2.8.11", parts);
  if (!status.ok()) return status;

  const auto desc = memory.Table<SharedPackedDescriptor>(addrs.desc, size);
  const auto driver = memory.Table<SharedEvents>(addrs.driver_events, 1);
  const auto device = memory.Table<SharedEvents>(addrs.device_events, 1);
  status.Update(desc.status());
  status.Update(driver.status());
  status.Update(device.status());
  if (!status.ok()) return status;
  return PackedRing{.desc = desc->data(),
                    .size = size,
                    .driver_events = driver->data(),
                    .device_events = device->data()};
}

}  // namespace virtqueue
