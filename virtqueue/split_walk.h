// split_walk.h: follows the descriptors of one chain of a split ring, and
// judges them. The same of a packed ring: packed_walk.h.
//
// Spec: virtio 1.3, 2.7.5 "The Virtqueue Descriptor Table" and 2.7.5.3
// "Indirect Descriptors".
// Trust: none. Each descriptor is read once; at most N of them are, so a loop
// ends; nothing outside of the two tables and of guest memory is looked at.

#ifndef VIRTQUEUE_SPLIT_WALK_H_
#define VIRTQUEUE_SPLIT_WALK_H_

#include <cstdint>

#include "virtqueue/chain.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_array.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

struct SplitWalkTerms {   // negotiated
  bool indirect = false;  // VIRTIO_F_INDIRECT_DESC
  bool in_order = false;  // VIRTIO_F_IN_ORDER
};

// Fills `chain` with what begins at descriptor `head` of `table`, which was
// read and is `first`. Says which rule the driver broke, and then the chain is
// empty; nullptr if none.
const char* WalkSplit(const RingArray<SharedDescriptor>& table, uint32_t head,
                      const Descriptor& first, const SplitWalkTerms& terms,
                      const GuestMemory& memory, Chain& chain);

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPLIT_WALK_H_
