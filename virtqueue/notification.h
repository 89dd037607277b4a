// notification.h: who must be notified when, on a split ring.
//
// Spec: virtio 1.3, 2.7.7 "Used Buffer Notification Suppression" and 2.7.10
// "Available Buffer Notification Suppression", which mirror each other, so one
// class serves either half.
// Trust: the peer's words are a hint; whatever they say, the worst is one
// notification too many or one too few, never an access.
// How the packed ring does it: packed_notification.h.
//
// Both halves follow the same two rules, and so no notification is lost:
//   who publishes:  store own idx,       full barrier, read the peer's wish;
//   who goes idle:  store own wish,      full barrier, read the peer's idx.
// The barrier is that both the store and the load are seq_cst.

#ifndef VIRTQUEUE_NOTIFICATION_H_
#define VIRTQUEUE_NOTIFICATION_H_

#include <cstdint>

#include "virtqueue/shared_le.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

// True if moving an idx from `old_idx` to `new_idx` wrote the entry numbered
// `event`: 2.7.7.2 for a batch. Arithmetic modulo 65536.
constexpr bool NeedEvent(uint16_t event, uint16_t new_idx, uint16_t old_idx) {
  return static_cast<uint16_t>(new_idx - event - 1) <
         static_cast<uint16_t>(new_idx - old_idx);
}

class Notification {
 public:
  // Of no ring: to be disabled is all that it may be asked.
  Notification() = default;
  // How the driver half sees the words of `ring`, and how the device half does.
  static Notification OfDriver(const SplitRing& ring, bool event_idx);
  static Notification OfDevice(const SplitRing& ring, bool event_idx);

  // After own idx went from `old_idx` to `new_idx` by a seq_cst store: must the
  // peer be notified?
  bool PeerMustBeNotified(uint16_t new_idx, uint16_t old_idx) const {
    constexpr auto kOrder = std::memory_order_seq_cst;
    if (event_idx_) {
      return NeedEvent(peer_event_->Load(kOrder), new_idx, old_idx);
    }
    return (peer_flags_->Load(kOrder) & 1) == 0;
  }

  // Asks to be notified when the peer's entry numbered `event` is written; by
  // flags, of any entry. The caller then reads the peer's idx, seq_cst.
  void Enable(uint16_t event);

  // Asks not to be notified; `next` is the first entry of the peer not yet
  // seen. With the event index the wish lasts for 65535 entries.
  void Disable(uint16_t next);

  // What was asked for last. Set, it is what the words in memory say already.
  bool enabled() const { return enabled_; }
  void SetEnabled(bool enabled) { enabled_ = enabled; }

 private:
  Notification(SharedLe16* own_flags, SharedLe16* own_event,
               const SharedLe16* peer_flags, const SharedLe16* peer_event,
               bool event_idx);

  SharedLe16* own_flags_ = nullptr;
  SharedLe16* own_event_ = nullptr;
  const SharedLe16* peer_flags_ = nullptr;
  const SharedLe16* peer_event_ = nullptr;
  bool event_idx_ = false;
  bool enabled_ = false;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_NOTIFICATION_H_
