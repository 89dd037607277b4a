// raw_driver.h: writes into a split ring whatever it is told, lawful or not.
//
// Tests try the device half against it: no rule of a driver holds here. The
// other way round: raw_device.h.

#ifndef VIRTQUEUE_TESTING_RAW_DRIVER_H_
#define VIRTQUEUE_TESTING_RAW_DRIVER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class RawDriver {
 public:
  // The bytes of `memory` outlive the driver; the ring is left as it is.
  RawDriver(const GuestMemory& memory, const SplitRingAddrs& addrs,
            uint16_t size);

  void SetDescriptor(uint16_t index, const Descriptor& desc);
  // Writes `entries` as an indirect table at `at`, which may be any address.
  void WriteTable(GuestAddr at, absl::Span<const Descriptor> entries);

  // Puts `head` into the next slot and makes it available.
  void Offer(uint16_t head);
  void SetHead(uint16_t slot, uint16_t head);
  void SetAvailIdx(uint16_t idx);
  void SetAvailFlags(uint16_t flags);
  void SetUsedEvent(uint16_t event);

  struct UsedElem {
    uint32_t id = 0;
    uint32_t len = 0;
    bool operator==(const UsedElem&) const = default;
  };
  // All that was used so far, as long as it is not more than the ring holds.
  std::vector<UsedElem> Used() const;
  uint16_t UsedIdx() const;
  uint16_t UsedFlags() const;
  uint16_t AvailEvent() const;

 private:
  const GuestMemory memory_;
  const SplitRing ring_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_TESTING_RAW_DRIVER_H_
