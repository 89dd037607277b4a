// packed_notification.h: who must be notified when, on a packed ring.
//
// Spec: virtio 1.3, 2.8.10 "Driver and Device Event Suppression", which is the
// same for either half. How the split ring does it: notification.h.
// Trust: the peer's structure is a hint; whatever it says, the worst is one
// notification too many or one too few, never an access.
//
// Both halves follow the same two rules, and so no notification is lost:
//   who publishes:  store a descriptor,  full barrier, read the peer's wish;
//   who goes idle:  store own wish,      full barrier, read the descriptor.
// The barrier is that both the store and the load are seq_cst.

#ifndef VIRTQUEUE_PACKED_NOTIFICATION_H_
#define VIRTQUEUE_PACKED_NOTIFICATION_H_

#include <cstdint>

#include "virtqueue/packed_cursor.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {

// True if going on by `moved` slots, to `next`, passed the slot that `event`
// names in its lap; both as the event suppression structure has them. `size` is
// the ring's, and `moved` no more than that.
inline bool PassedEvent(uint16_t event, uint16_t next, uint32_t moved,
                        uint32_t size) {
  constexpr uint32_t kOffset = kEventsWrap - 1u;
  const bool same_lap = ((event ^ next) & kEventsWrap) == 0;
  // How far behind `next` that slot is; a slot ahead is "behind" by about 2^32.
  const uint32_t behind =
      (next & kOffset) - (event & kOffset) + (same_lap ? 0 : size);
  return behind - 1 < moved;
}

class PackedNotification {
 public:
  PackedNotification() = default;  // of no ring; assigned to before it is used
  // How the driver half sees the words of `ring`, and how the device half does.
  static PackedNotification OfDriver(const PackedRing& ring, bool event_idx);
  static PackedNotification OfDevice(const PackedRing& ring, bool event_idx);

  // After the slots from `first` to before `next` were published, the first of
  // them by a seq_cst store: must the peer be notified?
  bool PeerMustBeNotified(const PackedCursor& first,
                          const PackedCursor& next) const {
    const Events wish = peer_->Load(std::memory_order_seq_cst);
    const uint16_t flags = wish.flags & 3;
    if (flags == kEventsDesc && event_idx_) {
      return PassedEvent(wish.desc, next.off_wrap(), first.DistanceTo(next),
                         size_);
    }
    return flags != kEventsDisable;
  }

  // Asks to be notified when the peer's descriptor at `event` is written, which
  // is as the structure has it; without the event index, of any. The caller
  // then looks, seq_cst, whether there is one already.
  void Enable(uint16_t event) {
    enabled_ = true;
    const Events wish = event_idx_ ? Events{.desc = event, .flags = kEventsDesc}
                                   : Events{.flags = kEventsEnable};
    own_->Store(wish, std::memory_order_seq_cst);
  }

  // Asks not to be notified.
  void Disable();

  // What was asked for last. Set, it is what the words in memory say already.
  bool enabled() const { return enabled_; }
  void SetEnabled(bool enabled) { enabled_ = enabled; }

 private:
  PackedNotification(SharedEvents* own, const SharedEvents* peer, uint32_t size,
                     bool event_idx);

  SharedEvents* own_ = nullptr;
  const SharedEvents* peer_ = nullptr;
  uint32_t size_ = 0;
  bool event_idx_ = false;
  bool enabled_ = true;  // a zeroed structure asks for notifications
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_NOTIFICATION_H_
