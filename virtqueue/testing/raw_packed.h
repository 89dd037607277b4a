// raw_packed.h: writes into a packed ring whatever it is told, lawful or not,
// and reads what is there; as either half, since both write the same slots.

#ifndef VIRTQUEUE_TESTING_RAW_PACKED_H_
#define VIRTQUEUE_TESTING_RAW_PACKED_H_

#include <cstdint>

#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {

class RawPacked {
 public:
  struct Desc {  // struct pvirtq_desc, 2.8.13
    uint64_t addr = 0;
    uint32_t len = 0;
    uint16_t id = 0;
    uint16_t flags = 0;
    bool operator==(const Desc&) const = default;
  };

  // The bytes of `memory` outlive this; the ring is left as it is.
  RawPacked(const GuestMemory& memory, const PackedRingAddrs& addrs,
            uint16_t size);

  void Write(uint16_t slot, const Desc& desc);
  Desc Read(uint16_t slot) const;
  // Writes `entries` as an indirect table at `at`, which may be any address.
  void WriteTable(GuestAddr at, absl::Span<const Desc> entries);

  // The field desc of event suppression is offset | wrap counter << 15.
  void WriteDriverEvents(uint16_t desc, uint16_t flags);
  void WriteDeviceEvents(uint16_t desc, uint16_t flags);
  Events DriverEvents() const;
  Events DeviceEvents() const;

  uint16_t size() const { return static_cast<uint16_t>(ring_.size); }

 private:
  const GuestMemory memory_;
  const PackedRing ring_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_TESTING_RAW_PACKED_H_
