// chain_state.h: a chain that the device's half has popped, as numbers.
//
// It is all that is known of the chain: on a packed ring its descriptors may be
// overwritten while it is in flight, so that they can't be read again.

#ifndef VIRTQUEUE_CHAIN_STATE_H_
#define VIRTQUEUE_CHAIN_STATE_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "virtqueue/guest_memory.h"

namespace virtqueue {

struct ChainState {
  struct Piece {  // bytes in one region of memory, at least one
    GuestAddr at;
    uint32_t len = 0;
    bool operator==(const Piece&) const = default;
  };

  uint16_t id = 0;           // its head, or its buffer id on a packed ring
  uint16_t slots = 0;        // of a packed ring that it takes
  uint16_t descriptors = 0;  // as Chain::descriptors() says
  uint16_t turn = 0;         // with VIRTIO_F_IN_ORDER: see CompletionOrder
  std::vector<Piece> readable;
  std::vector<Piece> writable;

  bool operator==(const ChainState&) const = default;
};

std::ostream& operator<<(std::ostream& out, const ChainState& state);

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_STATE_H_
