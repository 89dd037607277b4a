// split_ring.h: the split virtqueue, byte for byte, and where it lies.
//
// Spec: virtio 1.3, 2.7 "Split Virtqueues".
//
//   part              align  bytes     written by
//   descriptor table     16  16*N      driver
//   available ring        2  6 + 2*N   driver
//   used ring             4  6 + 8*N   device
//
//   a descriptor    addr 8, len 4, flags 2, next 2
//   available ring  flags 2, idx 2, N heads of 2, used_event 2
//   used ring       flags 2, idx 2, N elements of id 4, len 4; avail_event 2
//
// N, the queue size, is a power of two up to 32768. Both idx start at 0, run
// freely and wrap at 65536; an entry's slot is idx mod N.
// Left out: the legacy layout in one piece (2.7.2) and legacy endianness.

#ifndef VIRTQUEUE_SPLIT_RING_H_
#define VIRTQUEUE_SPLIT_RING_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_array.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/shared_le.h"

namespace virtqueue {

inline constexpr uint32_t kAvailAlign = 2;  // 2.7, the table above
inline constexpr uint32_t kUsedAlign = 4;

// Flags of the rings: 2.7.6, 2.7.8.
inline constexpr uint16_t kAvailNoInterrupt = 1;
inline constexpr uint16_t kUsedNoNotify = 1;

struct Descriptor {  // struct virtq_desc, as numbers
  uint64_t addr = 0;
  uint32_t len = 0;
  uint16_t flags = 0;
  uint16_t next = 0;
};

class SharedDescriptor {  // struct virtq_desc, as it lies in the table
 public:
  // The descriptor of these two numbers.
  static Descriptor Decode(uint64_t addr, uint64_t rest) {
    return {.addr = addr,
            .len = static_cast<uint32_t>(rest),
            .flags = static_cast<uint16_t>(rest >> 32),
            .next = static_cast<uint16_t>(rest >> 48)};
  }
  Descriptor Load() const {
    const uint64_t addr = addr_.Load();  // first, with every compiler
    return Decode(addr, rest_.Load());
  }
  void Store(const Descriptor& desc) {
    addr_.Store(desc.addr);
    rest_.Store(uint64_t{desc.len} | uint64_t{desc.flags} << 32 |
                uint64_t{desc.next} << 48);
  }

 private:
  SharedLe64 addr_;
  SharedLe64 rest_;  // len, flags, next: one access for all three
};
static_assert(sizeof(SharedDescriptor) == kDescriptorBytes, "wire layout");

struct SharedUsedElem {  // struct virtq_used_elem
  SharedLe32 id;
  SharedLe32 len;
};
static_assert(sizeof(SharedUsedElem) == 8 && alignof(SharedUsedElem) == 4,
              "wire layout");

// OK if `size` is a queue size, else InvalidArgument.
absl::Status CheckQueueSize(uint32_t size);

struct SplitRingAddrs {
  GuestAddr desc;
  GuestAddr avail;
  GuestAddr used;
};

// How many bytes LaySplitRing lays out.
uint32_t SplitRingBytes(uint16_t size);

// The three parts one after the other from `base` on, which is a multiple of
// kCacheLine; each begins a cache line, so the halves do not share one.
SplitRingAddrs LaySplitRing(GuestAddr base, uint16_t size);

// One ring found in memory. Everything here is shared with the other half.
struct SplitRing {
  // InvalidArgument if the size is none, a part is misaligned, or two overlap;
  // OutOfRange if a part is not in one region.
  static absl::StatusOr<SplitRing> Map(const GuestMemory& memory,
                                       const SplitRingAddrs& addrs,
                                       uint32_t size);

  RingArray<SharedDescriptor> desc;

  SharedLe16* avail_flags = nullptr;
  SharedLe16* avail_idx = nullptr;
  RingArray<SharedLe16> avail_ring;
  SharedLe16* used_event = nullptr;

  SharedLe16* used_flags = nullptr;
  SharedLe16* used_idx = nullptr;
  RingArray<SharedUsedElem> used_ring;
  SharedLe16* avail_event = nullptr;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPLIT_RING_H_
