// device_queue.h: the device's half of one virtqueue, split or packed.
//
// Spec: virtio 1.3, 2.7 and 2.8. The other half: driver_queue.h. Which format
// the ring has is a value; the rules are in split_device.h and packed_device.h.
// Trust: all it reads was written by the driver and may be hostile. A ring that
// breaks a rule stops the queue for good: Pop says kBroken, status() names the
// clause, nothing of the offending chain is used and nothing more is published.
//
// Lawful though unusual: a buffer over adjacent regions (a span for each); a
// descriptor of no bytes (no span, its address is not looked at); a table at an
// odd address; flags without a meaning (ignored).
// A chain belongs to the life of a queue in which it was popped: once the queue
// was reset, completing it has no effect beyond the chain.
// With VIRTIO_F_IN_ORDER the queue itself keeps the order (6.2), whatever order
// its user completes chains in: see completion_order.h. That way is a little
// longer than the other.
//
// One thread at a time uses a DeviceQueue; the driver half may be on another.

#ifndef VIRTQUEUE_DEVICE_QUEUE_H_
#define VIRTQUEUE_DEVICE_QUEUE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_state.h"
#include "virtqueue/device_terms.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_device.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/split_device.h"

namespace virtqueue {

class DeviceQueue : public DeviceTerms {
 public:
  // The ring at `addrs`, which the driver has laid out; the bytes of `memory`
  // outlive the queue. Errors: see SplitRing::Map and PackedRing::Map.
  static absl::StatusOr<DeviceQueue> Create(const GuestMemory& memory,
                                            const RingAddrs& addrs,
                                            const Options& options);

  // What Restore gives.
  struct Restored;
  // Goes on from `state`, which Save gave, on a ring that lies in memory as it
  // did then. InvalidArgument: a state that no such queue can be in, or a chain
  // of bytes that are not in memory; else errors as of Create.
  static absl::StatusOr<Restored> Restore(const GuestMemory& memory,
                                          const RingAddrs& addrs,
                                          const Options& options,
                                          const DeviceState& state);
  // All that Restore needs. `held` are the chains in flight, in any order.
  DeviceState Save(absl::Span<const Chain* const> held) const;

  // The driver reset the queue, alone (2.6.1) or with the device (2.4). There
  // is no ring then: nothing is available, nothing is written or notified, and
  // status() is FailedPrecondition.
  void Reset();
  // The driver set the queue up again, here or elsewhere, of this or another
  // size or format (2.6.1.2). Errors as of Create; then it is as after Reset.
  absl::Status Restart(const GuestMemory& memory, const RingAddrs& addrs,
                       const Options& options);

  // `chain` is not pending; what it held before is gone.
  PopResult Pop(Chain& chain);

  // Completes `chain`, of which the first `written` writable bytes were
  // written; the driver sees it at Publish. Chains may be completed in any
  // order, and with VIRTIO_F_IN_ORDER one that is completed before an earlier
  // one waits for that; on a broken queue, or after a reset, that has no effect
  // beyond the chain.
  void Push(Chain& chain, uint32_t written);

  // Puts `chain` back untouched: of those put back, the last is the next to be
  // popped.
  void UnPop(Chain& chain);

  // Makes all chains completed since the last call visible to the driver, or
  // with VIRTIO_F_IN_ORDER those whose turn it is: in as few batches as tell
  // the driver all lengths. True if the driver must be notified of them:
  // 2.7.7.2, 2.8.10.
  bool Publish() { return packed_ ? packed_->Publish() : split_.Publish(); }

  // Asks the driver to notify of the next chain. True if one is available
  // already: notification of that may never come, so pop again.
  bool EnableNotifications() {
    return packed_ ? packed_->EnableNotifications()
                   : split_.EnableNotifications();
  }
  void DisableNotifications() {
    packed_ ? packed_->DisableNotifications() : split_.DisableNotifications();
  }

  bool HasAvailable() const {
    return packed_ ? packed_->HasAvailable() : split_.HasAvailable();
  }
  // Chains popped and not completed.
  uint32_t in_flight() const {
    return packed_ ? packed_->in_flight() : split_.in_flight();
  }
  // Not between Reset and Restart.
  bool has_ring() const { return packed_.has_value() || split_.has_ring(); }
  uint16_t size() const { return packed_ ? packed_->size() : split_.size(); }
  // OK, or why the queue is broken.
  const absl::Status& status() const {
    return packed_ ? packed_->status() : split_.status();
  }

 private:
  void PushOther(Chain& chain, uint32_t written);

  explicit DeviceQueue(SplitDevice split) : split_(std::move(split)) {}
  DeviceQueue(const GuestMemory& memory, PackedDevice packed)
      : split_(memory), packed_(std::move(packed)) {}

  uint32_t NextLife() const { return (life_ + 1) % Chain::kLives; }
  void SetLife(uint32_t life);
  uint32_t tag() const {
    return packed_ ? packed_->ChainTag() : split_.ChainTag();
  }
  // Completes a chain of an earlier life.
  static void Discard(Chain& chain);

  SplitDevice split_;  // of no ring, if there is the other
  std::optional<PackedDevice> packed_;
  uint32_t life_ = 0;
};

struct DeviceQueue::Restored {
  DeviceQueue queue;
  std::vector<Chain> in_flight;  // in the order of the state's
};

// A split half that can't go on, or a chain that is not its own or has a turn,
// sends the two that follow elsewhere, so a split ring pays nothing for there
// being another format, nor either for VIRTIO_F_IN_ORDER.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DeviceTerms::PopResult DeviceQueue::Pop(
    Chain& chain) {
  VSOCK_CHECK(!chain.pending());
  if (!split_.SeesAvailable()) {
    if (packed_) return packed_->Pop(chain);
    if (!split_.LookForAvailable()) return split_.PopOther(chain);
  }
  return split_.PopSeen(chain);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void DeviceQueue::Push(Chain& chain,
                                                           uint32_t written) {
  if (!chain.IsOf(split_.tag())) {
    if (!chain.IsOf(split_.tag() | Chain::kPackedId)) {
      return PushOther(chain, written);
    }
    VSOCK_CHECK(packed_);
    return packed_->Push(chain, written);
  }
  split_.Push(chain, written);
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_DEVICE_QUEUE_H_
