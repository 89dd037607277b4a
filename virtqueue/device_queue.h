// device_queue.h: the device's half of one split virtqueue.
//
// Spec: virtio 1.3, 2.7.4 to 2.7.8 and 2.7.10. The other half: driver_queue.h.
// Trust: all it reads was written by the driver and may be hostile. A ring that
// breaks a rule stops the queue: Pop says kBroken from then on and status()
// names the clause; nothing of the offending chain is used and nothing more is
// written to the ring. How each kind of malformed ring ends:
//
//   available idx ahead of the used idx by more than N       broken, 2.7.13
//   head, or next, that is no entry of its table             broken, 2.7.5
//   more than N descriptors, hence every loop                broken, 2.7.5.3.1
//   more than 2^32 bytes in all                              broken, 2.7.5.2
//   readable descriptor after a writable one                 broken, 2.7.4.2
//   buffer, or indirect table, outside of memory             broken, 2.7.5
//   INDIRECT not negotiated, nested, or together with NEXT   broken, 2.7.5.3.1
//   indirect table of no, or not of whole, descriptors       broken, 2.7.5.3
//   a head that the device still has                         broken, 2.7.13.1
//
// Lawful though unusual: a buffer over adjacent regions (one span for each); a
// descriptor of no bytes (no span, its address is not looked at); ordinary
// descriptors and then an indirect one (2.7.5.3.2); a table at any address, but
// in one region. Flags without a meaning are ignored.
// Left out: packed rings, VIRTIO_F_IN_ORDER, reset (destroy and create anew).
//
// One thread at a time may use a DeviceQueue; the driver half may be on
// another.

#ifndef VIRTQUEUE_DEVICE_QUEUE_H_
#define VIRTQUEUE_DEVICE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/chain.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/notification.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class alignas(kCacheLine) DeviceQueue {
 public:
  struct Options {
    uint16_t size = 0;       // N
    bool event_idx = false;  // VIRTIO_F_EVENT_IDX was negotiated
    bool indirect = false;   // VIRTIO_F_INDIRECT_DESC was negotiated
  };

  // The ring at `addrs`, which the driver has laid out; the bytes of `memory`
  // outlive the queue. Errors: see SplitRing::Map.
  static absl::StatusOr<DeviceQueue> Create(const GuestMemory& memory,
                                            const SplitRingAddrs& addrs,
                                            const Options& options);

  enum class PopResult {
    kChain,   // `chain` is the next available one, to be completed once
    kEmpty,   // nothing is available
    kBroken,  // the ring broke a rule; for good
  };
  // `chain` is not pending; what it held before is gone.
  PopResult Pop(Chain& chain);

  // Completes `chain`, of which the first `written` writable bytes were
  // written; the driver sees it at Publish. Chains may be completed in any
  // order. On a broken queue the completion is discarded.
  void Push(Chain& chain, uint32_t written);

  // Puts back the chain popped last, to be popped again.
  void UnPop(Chain& chain);

  // Makes all chains completed since the last call visible to the driver. True
  // if the driver must be notified of them, 2.7.7.2.
  bool Publish();

  // Asks the driver to notify of the next chain. True if one is available
  // already: notification of that may never come, so pop again.
  bool EnableNotifications();
  void DisableNotifications();

  bool HasAvailable() const;
  uint32_t in_flight() const { return in_flight_; }  // popped, not completed
  uint16_t size() const { return static_cast<uint16_t>(mask_ + 1); }
  // OK, or why the queue is broken.
  const absl::Status& status() const { return status_; }

 private:
  DeviceQueue(const GuestMemory& memory, const SplitRing& ring,
              const Options& options);

  bool RefreshAvailable();
  bool Walk(Chain& chain);
  bool WalkIndirect(const Descriptor& refers, Chain& chain);
  bool Append(const Descriptor& desc, Chain& chain);
  bool AppendPieces(const Descriptor& desc, Chain& chain);
  bool Break(const char* why);

  SplitRing ring_;
  Notification notification_;
  GuestMemory memory_;
  absl::Status status_;
  std::vector<bool> has_;  // by head: popped and not completed
  uint32_t in_flight_ = 0;
  uint16_t mask_;  // N - 1
  bool indirect_;
  uint16_t avail_idx_ = 0;   // the driver's idx when last read
  uint16_t next_avail_ = 0;  // first entry not popped
  uint16_t next_used_ = 0;   // where the next completion goes
  uint16_t used_idx_ = 0;    // what the driver has been shown of them
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DEVICE_QUEUE_H_
