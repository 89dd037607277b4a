#include "virtqueue/ring_layout.h"

namespace virtqueue {

RingFormat FormatOf(const RingAddrs& addrs) {
  return std::holds_alternative<PackedRingAddrs>(addrs) ? RingFormat::kPacked
                                                        : RingFormat::kSplit;
}

absl::Status CheckRingSize(RingFormat format, uint32_t size) {
  return format == RingFormat::kPacked ? CheckPackedQueueSize(size)
                                       : CheckQueueSize(size);
}

uint32_t RingBytes(RingFormat format, uint16_t size) {
  return format == RingFormat::kPacked ? PackedRingBytes(size)
                                       : SplitRingBytes(size);
}

RingAddrs LayRing(RingFormat format, GuestAddr base, uint16_t size) {
  if (format == RingFormat::kPacked) return LayPackedRing(base, size);
  return LaySplitRing(base, size);
}

}  // namespace virtqueue
