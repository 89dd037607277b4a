#include "virtqueue/packed_notification.h"

namespace virtqueue {

PackedNotification PackedNotification::OfDriver(const PackedRing& ring,
                                                bool event_idx) {
  return PackedNotification(ring.driver_events, ring.device_events, ring.size,
                            event_idx);
}

PackedNotification PackedNotification::OfDevice(const PackedRing& ring,
                                                bool event_idx) {
  return PackedNotification(ring.device_events, ring.driver_events, ring.size,
                            event_idx);
}

PackedNotification::PackedNotification(SharedEvents* own,
                                       const SharedEvents* peer, uint32_t size,
                                       bool event_idx)
    : own_(own), peer_(peer), size_(size), event_idx_(event_idx) {}

void PackedNotification::Disable() {
  if (!enabled_) return;
  enabled_ = false;
  own_->Store({.flags = kEventsDisable});
}

}  // namespace virtqueue
