// packed_walk.h: follows the descriptors of one chain of a packed ring, and
// judges them.
//
// Spec: virtio 1.3, 2.8.6 "Next Flag: Descriptor Chaining" and 2.8.7 "Indirect
// Flag: Scatter-Gather Support".
// Trust: none. Each descriptor is read once; there are at most as many as the
// ring has room for; nothing outside of the ring, of a table and of guest
// memory is looked at.

#ifndef VIRTQUEUE_PACKED_WALK_H_
#define VIRTQUEUE_PACKED_WALK_H_

#include <cstdint>

#include "virtqueue/chain.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_cursor.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {

struct PackedWalk {
  const char* fault = nullptr;  // which rule the driver broke
  // Of a chain without a fault.
  uint16_t id = 0;
  uint32_t slots = 0;
};

// Fills `chain` with what begins at `at`, where the available descriptor
// `first` was read; it may take `room` slots. `indirect`:
// VIRTIO_F_INDIRECT_DESC was negotiated. After a fault the chain is empty.
PackedWalk WalkPacked(const PackedCursor& at, const PackedDescriptor& first,
                      uint32_t room, uint32_t ring_size, bool indirect,
                      const GuestMemory& memory, Chain& chain);

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_WALK_H_
