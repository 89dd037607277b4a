// device_queue.h: the device's half of one virtqueue, split or packed.
//
// Spec: virtio 1.3, 2.7 and 2.8. The other half: driver_queue.h. Which format
// the ring has is a value, of which each call depends by one branch; the rules
// are in split_device.h and packed_device.h.
// Trust: all it reads was written by the driver and may be hostile. A ring that
// breaks a rule stops the queue for good: Pop says kBroken, status() names the
// clause, nothing of the offending chain is used and nothing more is published.
//
// Lawful though unusual: a buffer over adjacent regions (a span for each); a
// descriptor of no bytes (no span, its address is not looked at); a table at an
// odd address; flags without a meaning (ignored).
// Left out: VIRTIO_F_IN_ORDER, reset (destroy and create anew).
//
// One thread at a time uses a DeviceQueue; the driver half may be on another.

#ifndef VIRTQUEUE_DEVICE_QUEUE_H_
#define VIRTQUEUE_DEVICE_QUEUE_H_

#include <cstdint>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_terms.h"
#include "virtqueue/either.h"
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

  // `chain` is not pending; what it held before is gone.
  ABSL_ATTRIBUTE_ALWAYS_INLINE PopResult Pop(Chain& chain) {
    return half_.On([&](auto& half) ABSL_ATTRIBUTE_ALWAYS_INLINE {
      return half.Pop(chain);
    });
  }

  // Completes `chain`, of which the first `written` writable bytes were
  // written; the driver sees it at Publish. Chains may be completed in any
  // order; on a broken queue that has no effect beyond the chain.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Push(Chain& chain, uint32_t written) {
    half_.On([&](auto& half)
                 ABSL_ATTRIBUTE_ALWAYS_INLINE { half.Push(chain, written); });
  }

  // Puts `chain` back untouched: of those put back, the last is the next to be
  // popped.
  void UnPop(Chain& chain) {
    half_.On([&](auto& half) { half.UnPop(chain); });
  }

  // Makes all chains completed since the last call visible to the driver. True
  // if the driver must be notified of them: 2.7.7.2, 2.8.10.
  bool Publish() {
    return half_.On([](auto& half) { return half.Publish(); });
  }

  // Asks the driver to notify of the next chain. True if one is available
  // already: notification of that may never come, so pop again.
  bool EnableNotifications() {
    return half_.On([](auto& half) { return half.EnableNotifications(); });
  }
  void DisableNotifications() {
    half_.On([](auto& half) { half.DisableNotifications(); });
  }

  bool HasAvailable() const {
    return half_.On([](auto& half) { return half.HasAvailable(); });
  }
  // Chains popped and not completed.
  uint32_t in_flight() const {
    return half_.On([](auto& half) { return half.in_flight(); });
  }
  uint16_t size() const {
    return half_.On([](auto& half) { return half.size(); });
  }
  // OK, or why the queue is broken.
  const absl::Status& status() const {
    return half_.On([](auto& half) -> auto& { return half.status(); });
  }

 private:
  explicit DeviceQueue(SplitDevice half) : half_(std::move(half)) {}
  explicit DeviceQueue(PackedDevice half) : half_(std::move(half)) {}

  Either<SplitDevice, PackedDevice> half_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DEVICE_QUEUE_H_
