// used_event_lint.h: finds a driver that negotiated the event index and never
// wrote used_event.
//
// Spec: virtio 1.3, 2.7.7.1 and 2.7.7.2. used_event is 0 in the beginning. A
// driver that leaves it there is notified of the first used chain and then of
// one in 65536; one that sleeps in between waits for ever, and both halves look
// healthy (rcore-os/virtio-drivers pull request 121, 2023). It is not forbidden
// either: a driver that polls need not write it. So this is a hint for who
// looks for the reason of a stall, and no error.
// Trust: none; what lies in the ring decides what is said here and nothing
// else. Left out: packed rings, whose structure has to be written to disable
// anything.

#ifndef VIRTQUEUE_USED_EVENT_LINT_H_
#define VIRTQUEUE_USED_EVENT_LINT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/shared_le.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class UsedEventLint {
 public:
  // Of a ring for which VIRTIO_F_EVENT_IDX was negotiated; the bytes of
  // `memory` outlive it. Errors: see SplitRing::Map.
  static absl::StatusOr<UsedEventLint> Create(const GuestMemory& memory,
                                              const SplitRingAddrs& addrs,
                                              uint32_t size);

  // At any time, but once in 65535 used chains at least. A look at a moment
  // when the device has nothing to do finds what a driver that sleeps has
  // written; Linux writes 0 while it does not want to be notified.
  void Look();

  // 65536 chains were used and used_event was 0 at every look.
  bool never_written() const { return !written_ && used_ >= kRound; }

 private:
  static constexpr uint64_t kRound = 65536;

  explicit UsedEventLint(const SplitRing& ring);

  const SharedLe16* used_event_;
  const SharedLe16* used_idx_;
  uint16_t last_idx_;
  uint64_t used_ = 0;  // since this was created
  bool written_ = false;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_USED_EVENT_LINT_H_
