// packed_ring.h: the packed virtqueue, byte for byte, and where it lies.
//
// Spec: virtio 1.3, 2.8 "Packed Virtqueues".
//
//   part                      align  bytes  written by
//   descriptor ring              16  16*N   both
//   driver event suppression      4  4      driver
//   device event suppression      4  4      device
//
//   a descriptor        addr 8, len 4, id 2, flags 2
//   event suppression   offset 15 bits and wrap counter 1 bit, flags 2
//
// N, the queue size, is any number from 1 to 32768. The driver makes chains
// available in consecutive slots, the last followed by the first; the device
// writes one used descriptor for each chain where its first slot would be if
// all were used in order, and skips as many slots as the chain has.
//
// Either half keeps a wrap counter, 1 at first, that changes behind the last
// slot. A descriptor is available if AVAIL is the counter and USED is not, and
// used if both are.

#ifndef VIRTQUEUE_PACKED_RING_H_
#define VIRTQUEUE_PACKED_RING_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/shared_le.h"

namespace virtqueue {

inline constexpr uint32_t kEventsAlign = 4;  // 2.8.10.1
inline constexpr uint32_t kEventsBytes = 4;

// Flags of a descriptor, 2.8.1.
inline constexpr uint16_t kDescAvail = 1 << 7;
inline constexpr uint16_t kDescUsed = 1 << 15;

// RING_EVENT_FLAGS_*, 2.8.10; 3 is reserved.
inline constexpr uint16_t kEventsEnable = 0;
inline constexpr uint16_t kEventsDisable = 1;
inline constexpr uint16_t kEventsDesc = 2;  // with VIRTIO_F_EVENT_IDX only
inline constexpr uint16_t kEventsWrap = 1 << 15;  // of the field desc

// len, id and flags of a descriptor, which one access moves as one number: len
// in its lower half, then id, the flags on top.
struct PackedTail {
  static constexpr PackedTail Decode(uint64_t word) {
    return {.len = static_cast<uint32_t>(word),
            .id = static_cast<uint16_t>(word >> 32),
            .flags = static_cast<uint16_t>(word >> 48)};
  }
  constexpr uint64_t word() const {
    return uint64_t{len} | uint64_t{id} << 32 | uint64_t{flags} << 48;
  }

  uint32_t len = 0;
  uint16_t id = 0;
  uint16_t flags = 0;
  bool operator==(const PackedTail&) const = default;
};

std::ostream& operator<<(std::ostream& out, const PackedTail& tail);

struct PackedDescriptor {  // struct pvirtq_desc, as numbers
  uint64_t addr = 0;
  PackedTail tail;
};

class SharedPackedDescriptor {  // struct pvirtq_desc, as it lies in the ring
 public:
  // The descriptor of these two numbers.
  static PackedDescriptor Decode(uint64_t addr, uint64_t tail) {
    return {.addr = addr, .tail = PackedTail::Decode(tail)};
  }

  PackedTail LoadTail(std::memory_order order) const {
    return PackedTail::Decode(LoadWord(order));
  }
  void StoreTail(const PackedTail& tail, std::memory_order order) {
    StoreWord(tail.word(), order);
  }
  // The tail as its number.
  uint64_t LoadWord(std::memory_order order) const { return tail_.Load(order); }
  void StoreWord(uint64_t word, std::memory_order order) {
    tail_.Store(word, order);
  }

  uint64_t LoadAddr() const { return addr_.Load(); }
  void StoreAddr(uint64_t addr) { addr_.Store(addr); }

  // For tables, which become visible by the descriptor that refers to them.
  PackedDescriptor Load() const {
    const uint64_t addr = addr_.Load();  // first, with every compiler
    return Decode(addr, tail_.Load());
  }
  void Store(const PackedDescriptor& desc) {
    StoreAddr(desc.addr);
    StoreTail(desc.tail, std::memory_order_relaxed);
  }

 private:
  SharedLe64 addr_;
  SharedLe64 tail_;
};
static_assert(sizeof(SharedPackedDescriptor) == kDescriptorBytes,
              "wire layout");

struct Events {       // struct pvirtq_event_suppress, as numbers
  uint16_t desc = 0;  // offset, and the wrap counter in the highest bit
  uint16_t flags = 0;
};

class SharedEvents {  // struct pvirtq_event_suppress, as it lies in memory
 public:
  Events Load(std::memory_order order = std::memory_order_relaxed) const {
    const uint32_t word = word_.Load(order);
    return {.desc = static_cast<uint16_t>(word),
            .flags = static_cast<uint16_t>(word >> 16)};
  }
  void Store(const Events& events,
             std::memory_order order = std::memory_order_relaxed) {
    word_.Store(events.desc | uint32_t{events.flags} << 16, order);
  }

 private:
  SharedLe32 word_;
};
static_assert(sizeof(SharedEvents) == kEventsBytes, "wire layout");

// OK if `size` is a queue size, else InvalidArgument.
absl::Status CheckPackedQueueSize(uint32_t size);

struct PackedRingAddrs {
  GuestAddr desc;
  GuestAddr driver_events;
  GuestAddr device_events;
};

// How many bytes LayPackedRing lays out.
uint32_t PackedRingBytes(uint16_t size);

// The three parts one after the other from `base` on, which is a multiple of
// kCacheLine; each begins a cache line.
PackedRingAddrs LayPackedRing(GuestAddr base, uint16_t size);

// Where a half is in a ring: a slot, and its wrap counter there.
class PackedPosition {
 public:
  PackedPosition() = default;  // the first slot, in the first lap
  PackedPosition(uint32_t slot, bool wrap_counter)
      : slot_(slot), used_(wrap_counter ? kDescAvail | kDescUsed : 0) {}

  uint32_t slot() const { return slot_; }

  // AVAIL and USED of a descriptor here: available, and used.
  uint16_t available() const { return used_ ^ kDescUsed; }
  uint16_t used() const { return used_; }

  // Both as the event suppression structure has them, and back.
  uint16_t off_wrap() const {
    return static_cast<uint16_t>(slot_ | (used_ != 0 ? kEventsWrap : 0));
  }
  static PackedPosition Of(uint16_t off_wrap) {
    return PackedPosition(off_wrap & (kEventsWrap - 1u),
                          (off_wrap & kEventsWrap) != 0);
  }

  // How many slots `to` is ahead, in a ring of `size`; at most that.
  uint32_t DistanceTo(const PackedPosition& to, uint32_t size) const {
    return to.slot_ - slot_ + (to.used_ == used_ ? 0 : size);
  }

 private:
  uint32_t slot_ = 0;  // less than the size
  uint16_t used_ = kDescAvail | kDescUsed;
};

// How many slots the second of two positions, off_wrap() each, is ahead of the
// first; nothing if no two positions of a half in a ring of `size` are so.
std::optional<uint32_t> PackedSlotsBetween(uint16_t from, uint16_t to,
                                           uint32_t size);

// One ring found in memory. Everything here is shared with the other half.
struct PackedRing {
  // InvalidArgument if the size is none, a part is misaligned, or two overlap;
  // OutOfRange if a part is not in one region.
  static absl::StatusOr<PackedRing> Map(const GuestMemory& memory,
                                        const PackedRingAddrs& addrs,
                                        uint32_t size);

  // The slot at `position`, which is of a ring of this size and so can't be
  // outside.
  SharedPackedDescriptor& operator[](const PackedPosition& position) const {
    return desc[position.slot()];
  }

  SharedPackedDescriptor* desc = nullptr;
  uint32_t size = 0;
  SharedEvents* driver_events = nullptr;
  SharedEvents* device_events = nullptr;
};

// The flags that say whether a descriptor is available or used.
constexpr uint16_t AvailAndUsed(uint16_t flags) {
  return flags & (kDescAvail | kDescUsed);
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_RING_H_
