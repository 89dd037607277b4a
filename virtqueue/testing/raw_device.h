// raw_device.h: writes into a used ring whatever it is told, lawful or not.
//
// Tests try the driver half against it, and read with it what that half wrote.
// The other way round: raw_driver.h.

#ifndef VIRTQUEUE_TESTING_RAW_DEVICE_H_
#define VIRTQUEUE_TESTING_RAW_DEVICE_H_

#include <cstdint>

#include "virtqueue/guest_memory.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class RawDevice {
 public:
  // The bytes of `memory` outlive the device; the ring is left as it is.
  RawDevice(const GuestMemory& memory, const SplitRingAddrs& addrs,
            uint16_t size);

  // Puts an element into the next slot and makes it visible.
  void Use(uint32_t id, uint32_t len);
  void SetUsed(uint16_t slot, uint32_t id, uint32_t len);
  void SetUsedIdx(uint16_t idx);
  void SetUsedFlags(uint16_t flags);
  void SetAvailEvent(uint16_t event);

  Descriptor ReadDescriptor(uint16_t index) const;
  uint16_t Head(uint16_t slot) const;
  uint16_t AvailIdx() const;
  uint16_t AvailFlags() const;
  struct UsedElem {
    uint32_t id = 0;
    uint32_t len = 0;
  };
  UsedElem Used(uint16_t slot) const;
  uint16_t UsedFlags() const;
  uint16_t UsedEvent() const;

 private:
  const SplitRing ring_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_TESTING_RAW_DEVICE_H_
