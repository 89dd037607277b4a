// driver_state.h: the driver's half of a virtqueue, between two calls of it, as
// numbers: DriverQueue::Save gives it, and Restore goes on from it.
//
// What lies in guest memory is not in it: the ring and the indirect tables have
// to be there as they were. What the half saw of the device's index is not
// either: it looks again.
// Trust: none; a state may come from a file.
//
// A position is, on a split ring, a count of entries modulo 65536 and, on a
// packed ring, a slot with the wrap counter in the highest bit.

#ifndef VIRTQUEUE_DRIVER_STATE_H_
#define VIRTQUEUE_DRIVER_STATE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {

struct DriverState {
  struct InFlight {  // a chain that was added and not collected
    uint64_t token = 0;
    uint32_t writable_bytes = 0;
    uint16_t id = 0;     // its head, or its buffer id on a packed ring
    uint16_t slots = 1;  // descriptors of the ring that it takes
    // Of a split ring: the slots - 1 descriptors after the head, as linked.
    std::vector<uint16_t> linked;

    bool operator==(const InFlight&) const = default;
  };

  RingFormat format = RingFormat::kSplit;
  uint16_t size = 0;         // N
  uint16_t published = 0;    // the device sees what was added before
  uint16_t next_used = 0;    // where the next used chain is collected
  uint16_t unpublished = 0;  // the last so many chains were not published
  // On a packed ring: the descriptor that Publish has to write, if any.
  std::optional<PackedTail> held;
  bool notifications_enabled = true;
  std::string fault;  // why the queue is quarantined; empty if it isn't
  std::vector<InFlight> in_flight;  // in the order in which they were added
  // With VIRTIO_F_IN_ORDER: the first so many are used by one entry, which says
  // `batch_len` of the last of them.
  uint16_t batch = 0;
  uint32_t batch_len = 0;
  // Descriptors, or ids on a packed ring, in the order in which they will be
  // taken; none in quarantine.
  std::vector<uint16_t> free;

  bool operator==(const DriverState&) const = default;
};

std::ostream& operator<<(std::ostream& out, const DriverState& state);

// InvalidArgument if no half of that format and size can be in that state.
absl::Status CheckDriverState(const DriverState& state, RingFormat format,
                              uint16_t size);

// The same, of what VIRTIO_F_IN_ORDER adds, of a state that passed that: the
// numbers follow one another (2.7.5). Without it there is no batch.
absl::Status CheckOrder(const DriverState& state, bool in_order);

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_STATE_H_
