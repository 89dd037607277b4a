// packed_walker.h: follows the descriptors of one chain of a packed ring, and
// judges them.
//
// Spec: virtio 1.3, 2.8.6 "Next Flag: Descriptor Chaining" and 2.8.7 "Indirect
// Flag: Scatter-Gather Support".
// Trust: none. Each descriptor is read once; there are at most as many as the
// ring has room for; nothing outside of the ring, of a table and of guest
// memory is looked at.

#ifndef VIRTQUEUE_PACKED_WALKER_H_
#define VIRTQUEUE_PACKED_WALKER_H_

#include <cstdint>

#include "virtqueue/chain.h"
#include "virtqueue/chain_appender.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {

class PackedWalker {
 public:
  // `indirect`: VIRTIO_F_INDIRECT_DESC was negotiated. What is referred to
  // outlives the walker, which is for one walk.
  PackedWalker(const PackedRing& ring, const GuestMemory& memory, bool indirect,
               Chain& chain);

  // Fills the chain with what begins at `at`, where an available descriptor
  // with `first` was seen; it may take `room` slots. Says which rule the driver
  // broke, and then the chain is empty; nullptr if none.
  const char* Walk(PackedPosition at, PackedTail first, uint32_t room);

  // Of the chain that was walked without a fault.
  uint16_t id() const { return id_; }

 private:
  const char* WalkRing(PackedPosition at, PackedTail tail, uint32_t room);
  const char* WalkTable(const PackedDescriptor& refers);

  const PackedRing& ring_;
  const GuestMemory& memory_;
  const bool indirect_;
  Chain& chain_;
  ChainAppender appender_;
  uint16_t id_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_WALKER_H_
