// ring_map.h: where in memory each word of a ring is.
//
// Spec: virtio 1.3, 2.7 and 2.8, written out once more, so that what reads and
// writes a ring here shares nothing with the half that is tried.

#ifndef TESTS_FUZZ_RING_MAP_H_
#define TESTS_FUZZ_RING_MAP_H_

#include <cstdint>
#include <vector>

#include "tests/fuzz/arena.h"
#include "tests/fuzz/script.h"

namespace fuzz {

class RingMap {
 public:
  RingMap(const virtqueue::RingAddrs& addrs, const QueueSpec& queue);

  uint64_t desc(uint64_t slot) const { return desc_ + 16 * (slot % size_); }

  // Of a split ring.
  uint64_t avail_flags() const { return driver_; }
  uint64_t avail_idx() const { return driver_ + 2; }
  uint64_t head(uint64_t slot) const {
    return driver_ + 4 + 2 * (slot % size_);
  }
  uint64_t used_event() const { return driver_ + 4 + 2 * size_; }
  uint64_t used_flags() const { return device_; }
  uint64_t used_idx() const { return device_ + 2; }
  uint64_t used(uint64_t slot) const {
    return device_ + 4 + 8 * (slot % size_);
  }
  uint64_t avail_event() const { return device_ + 4 + 8 * size_; }

  // Of a packed ring: offset and wrap counter of 2 bytes, flags of 2.
  uint64_t driver_events() const { return driver_; }
  uint64_t device_events() const { return device_; }

  // What a half may write to when it adds or pushes, ...
  std::vector<Extent> DriverAdds() const;
  std::vector<Extent> DevicePushes() const;
  // ... when it publishes, ...
  std::vector<Extent> DriverPublishes() const;
  std::vector<Extent> DevicePublishes() const;
  // ... and when it says whether it wants to be notified.
  std::vector<Extent> DriverWishes() const;
  std::vector<Extent> DeviceWishes() const;

 private:
  bool split_;
  uint64_t size_;
  uint64_t table_bytes_;
  uint64_t desc_;
  uint64_t driver_;  // what the driver writes beside descriptors
  uint64_t device_;  // what the device does
};

// One descriptor, as numbers.
struct WireDesc {
  uint64_t addr = 0;
  uint32_t len = 0;
  uint16_t flags = 0;
  uint16_t next_or_id = 0;
};

WireDesc ReadDesc(const Arena& arena, virtqueue::RingFormat format,
                  uint64_t at);
void WriteDesc(Arena& arena, virtqueue::RingFormat format, uint64_t at,
               const WireDesc& desc);

}  // namespace fuzz

#endif  // TESTS_FUZZ_RING_MAP_H_
