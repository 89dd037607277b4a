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
// A chain is completed on the queue that it was popped from, and belongs to the
// life of that in which it was popped: once the queue was reset, completing it
// has no effect beyond the chain. It is to be completed all the same: until all
// of earlier lives are, every chain goes the longer way.
//
// With VIRTIO_F_IN_ORDER the queue itself keeps the order (6.2), whatever order
// its user completes chains in: see completion_order.h. That way is a little
// longer than the other.
//
// Where the time goes: see driver_queue.h. Here it is, besides, a third for the
// bounds of the buffer and the spans of the chain.
//
// One thread at a time uses a DeviceQueue; the driver half may be on another.

#ifndef VIRTQUEUE_DEVICE_QUEUE_H_
#define VIRTQUEUE_DEVICE_QUEUE_H_

#include <cstdint>
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
#include "virtqueue/ring_format.h"
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
  // All that Restore needs of a queue that has a ring. `held` are the chains in
  // flight, in any order; those of earlier lives are no concern of the restored
  // queue.
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
  ABSL_ATTRIBUTE_ALWAYS_INLINE PopResult Pop(Chain& chain) {
    VSOCK_CHECK(!chain.pending());
    if (packed_.quick_to_pop()) return packed_.QuickPop(chain);
    if (split_.quick_to_pop()) return split_.QuickPop(chain);
    return PopAny(chain);
  }

  // Completes `chain`, of which the first `written` writable bytes were
  // written; the driver sees it at Publish. Chains may be completed in any
  // order, and with VIRTIO_F_IN_ORDER one that is completed before an earlier
  // one waits for that; on a broken queue, or after a reset, that has no effect
  // beyond the chain.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Push(Chain& chain, uint32_t written) {
    VSOCK_CHECK(written == 0 || written <= chain.writable_bytes());
    if (split_.quick_to_push(chain)) return split_.QuickPush(chain, written);
    if (packed_.quick_to_push(chain)) return packed_.QuickPush(chain, written);
    PushAny(chain, written);
  }

  // Puts `chain` back untouched: of those put back, the last is the next to be
  // popped.
  void UnPop(Chain& chain);

  // Makes all chains completed since the last call visible to the driver, or
  // with VIRTIO_F_IN_ORDER those whose turn it is: in as few batches as tell
  // the driver all lengths. True if the driver must be notified of them:
  // 2.7.7.2, 2.8.10.
  bool Publish() { return packed() ? packed_.Publish() : split_.Publish(); }

  // Asks the driver to notify of the next chain. True if one is available
  // already: notification of that may never come, so pop again.
  bool EnableNotifications() {
    return packed() ? packed_.EnableNotifications()
                    : split_.EnableNotifications();
  }
  void DisableNotifications() {
    packed() ? packed_.DisableNotifications() : split_.DisableNotifications();
  }

  bool HasAvailable() const {
    return packed() ? packed_.HasAvailable() : split_.HasAvailable();
  }
  // Chains popped and not completed.
  uint32_t in_flight() const {
    return packed() ? packed_.in_flight() : split_.in_flight();
  }
  // Not between Reset and Restart.
  bool has_ring() const { return packed() || split_.has_ring(); }
  uint16_t size() const { return packed() ? packed_.size() : split_.size(); }
  // OK, or why the queue is broken.
  const absl::Status& status() const {
    return packed() ? packed_.status() : split_.status();
  }

 private:
  DeviceQueue(const GuestMemory& memory, SplitDevice split)
      : format_(RingFormat::kSplit),
        packed_(memory),
        split_(std::move(split)) {}
  DeviceQueue(const GuestMemory& memory, PackedDevice packed)
      : format_(RingFormat::kPacked),
        packed_(std::move(packed)),
        split_(memory) {}

  PopResult PopAny(Chain& chain);
  void PushAny(Chain& chain, uint32_t written);

  bool packed() const { return format_ == RingFormat::kPacked; }
  // `chain` was popped in this life.
  bool Has(const Chain& chain) const;
  // Begins a life, while `orphans` chains of earlier ones are not completed.
  void SetLife(uint32_t life, uint32_t orphans);
  // Completes a chain of an earlier life.
  void Discard(Chain& chain);

  // One of the halves is of no ring and quick at nothing, so the usual chain
  // need not ask for the format.
  RingFormat format_;
  uint32_t life_ = 0;
  // Chains of earlier lives that may be completed yet. As long as there are
  // any, chains are popped with the number of their life, and so none is usual.
  uint32_t orphans_ = 0;
  PackedDevice packed_;
  SplitDevice split_;
};

struct DeviceQueue::Restored {
  DeviceQueue queue;
  std::vector<Chain> in_flight;  // in the order of the state's
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DEVICE_QUEUE_H_
