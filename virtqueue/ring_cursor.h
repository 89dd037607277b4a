// ring_cursor.h: how a half goes through one of the arrays of a split ring.
//
// Spec: virtio 1.3, 2.7.6 and 2.7.8: an entry's slot is its idx modulo the
// queue size.
// Trust: it stays in the array whatever is in there.
//
// A pointer, as that costs least on the way of a packet; its count, of which an
// idx is the lower 16 bits, is worked out when somebody asks. How a half goes
// round a packed ring: packed_cursor.h.

#ifndef VIRTQUEUE_RING_CURSOR_H_
#define VIRTQUEUE_RING_CURSOR_H_

#include <algorithm>
#include <cstdint>

#include "virtqueue/ring_array.h"

namespace virtqueue {

template <typename T>
class RingCursor {
 public:
  RingCursor() = default;  // in no array, and there at the last entry
  // Where `count` entries were left behind.
  RingCursor(const RingArray<T>& entries, uint64_t count)
      : at_(&entries[count]),
        first_(&entries[0]),
        last_(&entries[entries.size() - 1]),
        before_(count - static_cast<uint64_t>(at_ - first_)) {}

  T* at() const { return at_; }
  bool at_last() const { return at_ == last_; }
  // How many entries were left behind since the beginning.
  uint64_t count() const {
    return before_ + static_cast<uint64_t>(at_ - first_);
  }

  // To the next entry.
  void Step() {
    if (at_last()) {
      before_ = count() + 1;
      at_ = first_;
    } else {
      ++at_;
    }
  }
  // To the entry so many on.
  void Advance(const RingArray<T>& entries, uint64_t by) {
    *this = RingCursor(entries, count() + by);
  }
  // To the next one, where that is known not to be the last.
  void StepShort() { ++at_; }

  // Where at most `entries` are left behind, or at the last one: from here to
  // there all steps are short.
  T* ShortSteps(uint64_t entries) const {
    return at_ + std::min(entries, static_cast<uint64_t>(last_ - at_));
  }

 private:
  T* at_ = nullptr;
  T* first_ = nullptr;
  T* last_ = nullptr;
  uint64_t before_ = 0;  // entries of the laps that are over
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_RING_CURSOR_H_
