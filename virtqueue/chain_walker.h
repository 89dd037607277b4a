// chain_walker.h: follows the descriptors of one chain, and judges them.
//
// Spec: virtio 1.3, 2.7.5 "The Virtqueue Descriptor Table" and 2.7.5.3
// "Indirect Descriptors".
// Trust: none. Each descriptor is read once; at most N of them are, so a loop
// ends; nothing outside of the two tables and of guest memory is looked at.

#ifndef VIRTQUEUE_CHAIN_WALKER_H_
#define VIRTQUEUE_CHAIN_WALKER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "virtqueue/chain.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_array.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class ChainWalker {
 public:
  // `indirect`: VIRTIO_F_INDIRECT_DESC was negotiated. What `memory` and
  // `chain` refer to outlives the walker, which is for one walk.
  ChainWalker(const RingArray<SharedDescriptor>& table,
              const GuestMemory& memory, bool indirect, Chain& chain);

  // Fills the chain with what begins at descriptor `head`. Says which rule the
  // driver broke; nothing if none, and if it broke one the chain is empty.
  absl::string_view Walk(uint32_t head);

 private:
  absl::string_view WalkTable(uint32_t head);
  absl::string_view WalkIndirect(const Descriptor& refers);
  absl::string_view Append(const Descriptor& desc);
  absl::string_view AppendPieces(const Descriptor& desc, bool writable);

  const RingArray<SharedDescriptor> table_;
  const GuestMemory& memory_;
  const bool indirect_;
  Chain& chain_;
  uint64_t bytes_ = 0;
  bool writable_ = false;  // a writable descriptor was met
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_WALKER_H_
