// driver_queue.h: the driver's half of one virtqueue, split or packed.
//
// Spec: virtio 1.3, 2.7 and 2.8. The other half: device_queue.h. Which format
// the ring has is a value, of which each call depends by one branch; the rules
// are in split_driver.h and packed_driver.h.
// Trust: none in the device. A used ring that breaks a rule quarantines the
// queue for good: nothing more is added, published or collected, and status()
// names the clause.
// Left out: VIRTIO_F_IN_ORDER, reset (destroy and create anew).
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
#include "virtqueue/driver_terms.h"
#include "virtqueue/either.h"
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

  // Adds one chain, `readable` before `writable`. The device sees it at
  // Publish; `token` comes back when it has used it. The buffers are the
  // caller's own, so whether they lie in memory is not asked.
  ABSL_ATTRIBUTE_ALWAYS_INLINE AddResult Add(absl::Span<const Buffer> readable,
                                             absl::Span<const Buffer> writable,
                                             uint64_t token) {
    return half_.On([&](auto& half) ABSL_ATTRIBUTE_ALWAYS_INLINE {
      return half.Add(readable, writable, token);
    });
  }

  // Makes all chains added since the last call visible to the device. True if
  // the device must be notified of them: 2.7.10.1, 2.8.21.2.
  bool Publish() {
    return half_.On([](auto& half) { return half.Publish(); });
  }

  // The next used chain, in the order the device used them.
  ABSL_ATTRIBUTE_ALWAYS_INLINE std::optional<Used> Collect() {
    return half_.On(
        [](auto& half) ABSL_ATTRIBUTE_ALWAYS_INLINE { return half.Collect(); });
  }

  // Asks the device to notify of the next used chain. True if one is used
  // already: notification of that may never come, so collect again.
  bool EnableNotifications() {
    return half_.On([](auto& half) { return half.EnableNotifications(); });
  }
  // The same, but not before three quarters of what the device has are used:
  // of its chains, or of its slots on a packed ring. There any used chain makes
  // it true, as one has to be collected to find the next.
  bool EnableNotificationsDelayed() {
    return half_.On(
        [](auto& half) { return half.EnableNotificationsDelayed(); });
  }
  void DisableNotifications() {
    half_.On([](auto& half) { half.DisableNotifications(); });
  }

  uint16_t free_descriptors() const {
    return half_.On([](auto& half) { return half.free_descriptors(); });
  }
  // Chains added and not collected.
  uint32_t in_flight() const {
    return half_.On([](auto& half) { return half.in_flight(); });
  }
  uint16_t size() const {
    return half_.On([](auto& half) { return half.size(); });
  }
  // OK, or why the queue is quarantined.
  const absl::Status& status() const {
    return half_.On([](auto& half) -> auto& { return half.status(); });
  }

 private:
  explicit DriverQueue(SplitDriver half) : half_(std::move(half)) {}
  explicit DriverQueue(PackedDriver half) : half_(std::move(half)) {}

  Either<SplitDriver, PackedDriver> half_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_QUEUE_H_
