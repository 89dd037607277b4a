#include "virtqueue/notification.h"

namespace virtqueue {

static_assert(kAvailNoInterrupt == 1 && kUsedNoNotify == 1,
              "one bit for either half");

Notification Notification::OfDriver(const SplitRing& ring, bool event_idx) {
  return Notification(ring.avail_flags, ring.used_event, ring.used_flags,
                      ring.avail_event, event_idx);
}

Notification Notification::OfDevice(const SplitRing& ring, bool event_idx) {
  return Notification(ring.used_flags, ring.avail_event, ring.avail_flags,
                      ring.used_event, event_idx);
}

Notification::Notification(SharedLe16* own_flags, SharedLe16* own_event,
                           const SharedLe16* peer_flags,
                           const SharedLe16* peer_event, bool event_idx)
    : own_flags_(own_flags),
      own_event_(own_event),
      peer_flags_(peer_flags),
      peer_event_(peer_event),
      event_idx_(event_idx),
      enabled_(true) {}  // a zeroed ring asks for notifications

void Notification::Enable(uint16_t event) {
  enabled_ = true;
  if (event_idx_) {
    own_event_->Store(event, std::memory_order_seq_cst);
  } else {
    own_flags_->Store(0, std::memory_order_seq_cst);
  }
}

void Notification::Disable(uint16_t next) {
  if (!enabled_) return;
  enabled_ = false;
  if (event_idx_) {
    // The entry before `next` is written already; flags stay 0 (2.7.7.1).
    own_event_->Store(static_cast<uint16_t>(next - 1));
  } else {
    own_flags_->Store(kAvailNoInterrupt);
  }
}

}  // namespace virtqueue
