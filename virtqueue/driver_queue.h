// driver_queue.h: the driver's half of one virtqueue, split or packed.
//
// Spec: virtio 1.3, 2.7 and 2.8. The other half: device_queue.h. Which format
// the ring has is a value; the rules are in split_driver.h and packed_driver.h.
// Trust: none in the device. A used ring that breaks a rule quarantines the
// queue for good: nothing more is added, published or collected, and status()
// names the clause.
// With VIRTIO_F_IN_ORDER a batch that the device used in one (2.7.9, 2.8.8) is
// collected chain by chain, like any other. That way is a little longer.
// A queue that was reset (2.6.1, 2.4) is created anew, once the device no
// longer uses it; what was with the device is in the state of the old one.
//
// One thread at a time uses a DriverQueue; the device half may be on another.

#ifndef VIRTQUEUE_DRIVER_QUEUE_H_
#define VIRTQUEUE_DRIVER_QUEUE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/driver_notification.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/driver_terms.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_driver.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/split_driver.h"

namespace virtqueue {

class DriverQueue : public DriverTerms {
 public:
  // Zeroes the ring at `addrs`; the bytes of `memory` outlive the queue.
  // Errors: see SplitRing::Map, PackedRing::Map and, for the tables,
  // GuestMemory::Table.
  static absl::StatusOr<DriverQueue> Create(const GuestMemory& memory,
                                            const RingAddrs& addrs,
                                            const Options& options);

  // Goes on from `state`, which Save gave, on a ring and tables that lie in
  // memory as they did then. InvalidArgument: a state that no such queue can be
  // in; else errors as of Create.
  static absl::StatusOr<DriverQueue> Restore(const GuestMemory& memory,
                                             const RingAddrs& addrs,
                                             const Options& options,
                                             const DriverState& state);
  // All that Restore needs.
  DriverState Save() const { return packed_ ? packed_->Save() : split_.Save(); }

  // Adds one chain, `readable` before `writable`. The device sees it at
  // Publish; `token` comes back when it has used it. The buffers are the
  // caller's own, so whether they lie in memory is not asked.
  AddResult Add(absl::Span<const Buffer> readable,
                absl::Span<const Buffer> writable, uint64_t token);

  // Makes all chains added since the last call visible to the device. True if
  // the device must be notified of them: 2.7.10.1, 2.8.21.2.
  bool Publish() { return packed_ ? packed_->Publish() : split_.Publish(); }

  // The next used chain, in the order the device used them.
  std::optional<Used> Collect();

  // Asks the device to notify of the next used chain. True if one is used
  // already: notification of that may never come, so collect again.
  bool EnableNotifications() {
    return packed_ ? packed_->EnableNotifications()
                   : split_.EnableNotifications();
  }
  // The same, but not before three quarters of what the device has are used:
  // of its chains, or of its slots on a packed ring. There any used chain makes
  // it true, as one has to be collected to find the next.
  bool EnableNotificationsDelayed() {
    return packed_ ? packed_->EnableNotificationsDelayed()
                   : split_.EnableNotificationsDelayed();
  }
  void DisableNotifications() {
    packed_ ? packed_->DisableNotifications() : split_.DisableNotifications();
  }

  // What a notification says with VIRTIO_F_NOTIFICATION_DATA: behind what was
  // published, so it is the same until more is.
  NextAvailable next_available() const {
    return packed_ ? packed_->next_available() : split_.next_available();
  }

  uint16_t free_descriptors() const {
    return packed_ ? packed_->free_descriptors() : split_.free_descriptors();
  }
  // Chains added and not collected.
  uint32_t in_flight() const {
    return packed_ ? packed_->in_flight() : split_.in_flight();
  }
  uint16_t size() const { return packed_ ? packed_->size() : split_.size(); }
  // OK, or why the queue is quarantined.
  const absl::Status& status() const {
    return packed_ ? packed_->status() : split_.status();
  }

 private:
  explicit DriverQueue(SplitDriver split) : split_(std::move(split)) {}
  explicit DriverQueue(PackedDriver packed) : packed_(std::move(packed)) {}

  SplitDriver split_;  // of no ring, if there is the other
  std::optional<PackedDriver> packed_;
};

// A split half that can't go on sends the two that follow to the packed one, so
// a split ring pays nothing for there being another format.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::AddResult DriverQueue::Add(
    absl::Span<const Buffer> readable, absl::Span<const Buffer> writable,
    uint64_t token) {
  if (split_.CanAddOnly(readable, writable)) {
    split_.AddOnly(readable, writable, token);
    return AddResult::kAdded;
  }
  if (packed_) return packed_->Add(readable, writable, token);
  return split_.AddAny(readable, writable, token);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline std::optional<DriverTerms::Used>
DriverQueue::Collect() {
  if (!split_.SeesUsed()) {
    if (packed_) return packed_->Collect();
    if (!split_.LookForUsed()) return split_.CollectUnseen();
  }
  return split_.CollectSeen();
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_QUEUE_H_
