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
// Where the time goes. Between two processors it is cache lines, so either half
// reads the other's index again only once all that it saw is done, writes its
// own once a batch, with the one full fence of it, and shares no line with the
// other but those of the ring. On one processor it is instructions, so the
// usual chain, of one descriptor, meets one comparison for the end of the ring,
// for room and for everything that is out of the ordinary (stop_), and one for
// whether the device has it (the number of a chain). All else takes the long
// way, with Any in its name. A ring is walked in the order of its addresses,
// which the processor foresees: nothing is prefetched.
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
#include "virtqueue/ring_format.h"
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
  DriverState Save() const { return packed() ? packed_.Save() : split_.Save(); }

  // Adds one chain, `readable` before `writable`. The device sees it at
  // Publish; `token` comes back when it has used it. The buffers are the
  // caller's own, so whether they lie in memory is not asked.
  ABSL_ATTRIBUTE_ALWAYS_INLINE AddResult Add(absl::Span<const Buffer> readable,
                                             absl::Span<const Buffer> writable,
                                             uint64_t token) {
    if (split_.quick_to_add()) {
      return split_.QuickAdd(readable, writable, token);
    }
    if (packed_.quick_to_add()) {
      return packed_.QuickAdd(readable, writable, token);
    }
    return AddAny(readable, writable, token);
  }

  // Makes all chains added since the last call visible to the device. True if
  // the device must be notified of them: 2.7.10.1, 2.8.21.2.
  bool Publish() { return packed() ? packed_.Publish() : split_.Publish(); }

  // The next used chain, in the order the device used them.
  ABSL_ATTRIBUTE_ALWAYS_INLINE std::optional<Used> Collect() {
    if (packed_.quick_to_collect()) return packed_.QuickCollect().used();
    if (split_.quick_to_collect()) return split_.QuickCollect().used();
    return CollectAny().used();
  }

  // Asks the device to notify of the next used chain. True if one is used
  // already: notification of that may never come, so collect again.
  bool EnableNotifications() {
    return packed() ? packed_.EnableNotifications()
                    : split_.EnableNotifications();
  }
  // The same, but not before three quarters of what the device has are used:
  // of its chains, or of its slots on a packed ring. There any used chain makes
  // it true, as one has to be collected to find the next.
  bool EnableNotificationsDelayed() {
    return packed() ? packed_.EnableNotificationsDelayed()
                    : split_.EnableNotificationsDelayed();
  }
  void DisableNotifications() {
    packed() ? packed_.DisableNotifications() : split_.DisableNotifications();
  }

  // What a notification says with VIRTIO_F_NOTIFICATION_DATA: behind what was
  // published, so it is the same until more is.
  NextAvailable next_available() const {
    return packed() ? packed_.next_available() : split_.next_available();
  }

  uint16_t free_descriptors() const {
    return packed() ? packed_.free_descriptors() : split_.free_descriptors();
  }
  // Chains added and not collected.
  uint32_t in_flight() const {
    return packed() ? packed_.in_flight() : split_.in_flight();
  }
  uint16_t size() const { return packed() ? packed_.size() : split_.size(); }
  // OK, or why the queue is quarantined.
  const absl::Status& status() const {
    return packed() ? packed_.status() : split_.status();
  }

 private:
  explicit DriverQueue(SplitDriver split)
      : format_(RingFormat::kSplit), split_(std::move(split)) {}
  explicit DriverQueue(PackedDriver packed)
      : format_(RingFormat::kPacked), packed_(std::move(packed)) {}

  AddResult AddAny(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable, uint64_t token);
  Collected CollectAny();

  bool packed() const { return format_ == RingFormat::kPacked; }

  // One of the halves is of no ring and quick at nothing, so the usual chain
  // need not ask for the format.
  RingFormat format_;
  PackedDriver packed_;
  SplitDriver split_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_QUEUE_H_
