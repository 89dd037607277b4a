// ring_layout.h: where a ring of either format lies, and thereby which it is.

#ifndef VIRTQUEUE_RING_LAYOUT_H_
#define VIRTQUEUE_RING_LAYOUT_H_

#include <cstdint>
#include <variant>

#include "absl/status/status.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

// Both halves choose their format by what this holds.
using RingAddrs = std::variant<SplitRingAddrs, PackedRingAddrs>;

RingFormat FormatOf(const RingAddrs& addrs);

// OK if a ring of that format has that size, else InvalidArgument.
absl::Status CheckRingSize(RingFormat format, uint32_t size);

// How many bytes LayRing lays out.
uint32_t RingBytes(RingFormat format, uint16_t size);

// See LaySplitRing and LayPackedRing.
RingAddrs LayRing(RingFormat format, GuestAddr base, uint16_t size);

}  // namespace virtqueue

#endif  // VIRTQUEUE_RING_LAYOUT_H_
