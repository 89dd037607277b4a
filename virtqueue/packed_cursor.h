// packed_cursor.h: how a half goes round a packed ring, slot by slot.
//
// Spec: virtio 1.3, 2.8.1 "Driver and Device Ring Wrap Counters".
// Trust: it stays in the ring whatever is in there.
//
// It is a PackedPosition in the shape that costs least on the way of a packet:
// a pointer, and the flags where they are in the word of a tail, so that
// nothing is scaled or shifted.

#ifndef VIRTQUEUE_PACKED_CURSOR_H_
#define VIRTQUEUE_PACKED_CURSOR_H_

#include <algorithm>
#include <cstdint>

#include "virtqueue/packed_ring.h"

namespace virtqueue {

// Flags where they are in the word of a tail.
inline constexpr uint64_t kNextMark = PackedTail{.flags = kDescNext}.word();
inline constexpr uint64_t kWriteMark = PackedTail{.flags = kDescWrite}.word();

// A half's way round a ring as the way of a packet wants it: the descriptor
// itself, and the word of a tail that is available there in this lap, or used,
// with neither length nor id.
class PackedCursor {
 public:
  PackedCursor() = default;  // in no ring, and there at the last slot
  // At `position` of that ring, to find or to write descriptors that are
  // available, or used.
  static PackedCursor Available(const PackedRing& ring,
                                const PackedPosition& position) {
    return PackedCursor(ring, position, position.available());
  }
  static PackedCursor Used(const PackedRing& ring,
                           const PackedPosition& position) {
    return PackedCursor(ring, position, position.used());
  }

  // Of one kind, at the same slot in the same lap.
  bool operator==(const PackedCursor& other) const {
    return at_ == other.at_ && marks_ == other.marks_;
  }

  SharedPackedDescriptor* at() const { return at_; }
  bool at_last() const { return at_ == last_; }
  uint64_t marks() const { return marks_; }
  // Whether a tail that was read here is available, or used.
  bool Matches(uint64_t tail) const {
    return ((tail ^ marks_) & kBothMarks) == 0;
  }

  // To the next slot.
  void Step() {
    if (at_last()) {
      at_ = first_;
      marks_ ^= kBothMarks;
    } else {
      ++at_;
    }
  }
  // The same where that is known not to be the last one.
  void StepShort() { ++at_; }
  // By so many slots, at most the size; whether that began a lap.
  bool Advance(uint32_t slots);

  // Where at most `slots` are left behind, or at the last slot: from here to
  // there all steps are short.
  SharedPackedDescriptor* ShortSteps(uint32_t slots) const {
    return at_ + std::min(slots, static_cast<uint32_t>(last_ - at_));
  }

  // As the event suppression structure has it.
  uint16_t off_wrap() const {
    constexpr int kShift = 40;
    static_assert(kAvailMark >> kShift == kEventsWrap);
    return static_cast<uint16_t>((at_ - first_) |
                                 (marks_ >> kShift & kEventsWrap));
  }
  // How many slots `to` is ahead; at most the size.
  uint32_t DistanceTo(const PackedCursor& to) const {
    const bool same_lap = ((marks_ ^ to.marks_) & kAvailMark) == 0;
    return static_cast<uint32_t>(to.at_ - at_) + (same_lap ? 0 : size());
  }

 private:
  static constexpr uint64_t kAvailMark = PackedTail{.flags = kDescAvail}.word();
  static constexpr uint64_t kBothMarks =
      PackedTail{.flags = kDescAvail | kDescUsed}.word();

  PackedCursor(const PackedRing& ring, const PackedPosition& position,
               uint16_t flags)
      : at_(&ring[position]),
        marks_(PackedTail{.flags = flags}.word()),
        first_(ring.desc),
        last_(ring.desc + (ring.size - 1)) {}

  uint32_t size() const { return static_cast<uint32_t>(last_ - first_) + 1; }

  SharedPackedDescriptor* at_ = nullptr;
  uint64_t marks_ = 0;
  SharedPackedDescriptor* first_ = nullptr;
  SharedPackedDescriptor* last_ = nullptr;
};

inline bool PackedCursor::Advance(uint32_t slots) {
  const auto to_last = static_cast<uint32_t>(last_ - at_);
  if (slots <= to_last) {
    at_ += slots;
    return false;
  }
  at_ = first_ + (slots - to_last - 1);
  marks_ ^= kBothMarks;
  return true;
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_CURSOR_H_
