// device_state.h: the device's half of a virtqueue, between two calls of it, as
// numbers: DeviceQueue::Save gives it, and Restore goes on from it.
//
// What lies in guest memory is not in it: the ring has to be there as it was.
// What the half saw of the driver's index is not either: it looks again.
// Trust: none; a state may come from a file or from a peer.
//
// A position is, on a split ring, a count of entries modulo 65536 and, on a
// packed ring, a slot with the wrap counter in the highest bit. So a base of
// vhost-user (VHOST_USER_SET_VRING_BASE, VHOST_USER_GET_VRING_BASE) is one
// position of a split ring and two of a packed one: next_available, and above
// it next_used.

#ifndef VIRTQUEUE_DEVICE_STATE_H_
#define VIRTQUEUE_DEVICE_STATE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/completion_order.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {

struct DeviceState {
  RingFormat format = RingFormat::kSplit;
  uint16_t size = 0;            // N
  uint16_t next_available = 0;  // where the next chain is popped
  uint16_t next_used = 0;       // where the next one is pushed
  uint16_t published = 0;       // the driver sees what was pushed before
  // On a packed ring: the used descriptor that Publish has to write, if any.
  std::optional<PackedTail> held;
  bool notifications_enabled = true;
  std::string fault;  // why the queue is broken; empty if it isn't
  // The last is popped first. Of a split ring ids alone: they are read again.
  std::vector<ChainState> put_back;
  std::vector<ChainState> in_flight;  // held by the user, in his order
  // With VIRTIO_F_IN_ORDER: chains that wait for an earlier one, or for
  // Publish, and the turn of the oldest that is not used.
  std::vector<CompletionOrder::Waiting> completed;
  uint16_t oldest_turn = 0;

  bool operator==(const DeviceState&) const = default;
};

std::ostream& operator<<(std::ostream& out, const DeviceState& state);

// InvalidArgument if no half of that format and size can be in that state. The
// bytes that chains name are not looked at.
absl::Status CheckDeviceState(const DeviceState& state, RingFormat format,
                              uint16_t size);

// The same, of what VIRTIO_F_IN_ORDER adds, of a state that passed that.
// Without it nothing is completed and not pushed.
absl::Status CheckTurns(const DeviceState& state, bool in_order);

// Of a ring whose every popped chain was pushed and published: that is what a
// base tells. Whatever it says, Restore judges.
DeviceState IdleDeviceState(RingFormat format, uint16_t size, uint32_t base);

// The base of such a state; nothing if chains are in flight, put back or not
// published, of which a base can't tell.
std::optional<uint32_t> VringBase(const DeviceState& state);

}  // namespace virtqueue

#endif  // VIRTQUEUE_DEVICE_STATE_H_
