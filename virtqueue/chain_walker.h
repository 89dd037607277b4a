// chain_walker.h: follows the descriptors of one chain of a split ring, and
// judges them. The same of a packed ring: packed_walker.h.
//
// Spec: virtio 1.3, 2.7.5 "The Virtqueue Descriptor Table" and 2.7.5.3
// "Indirect Descriptors".
// Trust: none. Each descriptor is read once; at most N of them are, so a loop
// ends; nothing outside of the two tables and of guest memory is looked at.

#ifndef VIRTQUEUE_CHAIN_WALKER_H_
#define VIRTQUEUE_CHAIN_WALKER_H_

#include <cstdint>

#include "virtqueue/chain.h"
#include "virtqueue/chain_appender.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_array.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class ChainWalker {
 public:
  struct Negotiated {
    bool indirect = false;  // VIRTIO_F_INDIRECT_DESC
    bool in_order = false;  // VIRTIO_F_IN_ORDER
  };

  // What `memory` and `chain` refer to outlives the walker, which is for one
  // walk.
  ChainWalker(const RingArray<SharedDescriptor>& table,
              const GuestMemory& memory, const Negotiated& negotiated,
              Chain& chain);

  // Fills the chain with what begins at descriptor `head`. Says which rule the
  // driver broke, and then the chain is empty; nullptr if none.
  const char* Walk(uint32_t head);

 private:
  const char* WalkTable(uint32_t head);
  const char* WalkIndirect(const Descriptor& refers);
  const RingArray<SharedDescriptor> table_;
  const GuestMemory& memory_;
  const Negotiated negotiated_;
  Chain& chain_;
  ChainAppender appender_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_WALKER_H_
