// place.h: the words that driver and device share, by the names of the
// specification.
//
// Spec: virtio 1.3, 2.7 and 2.8. Beside the ring, a chain has the bytes of its
// buffer: one word that the driver writes and one that the device writes.

#ifndef TESTS_EXPLORER_PLACE_H_
#define TESTS_EXPLORER_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {

enum class Part : uint8_t {
  kDescAddr,  // split: of the descriptor table
  kDescRest,  // len, flags, next
  kAvailFlags,
  kAvailIdx,
  kAvailRing,
  kUsedEvent,
  kUsedFlags,
  kUsedIdx,
  kUsedId,
  kUsedLen,
  kAvailEvent,
  kPackedAddr,  // packed: of the descriptor ring
  kPackedTail,  // len, id, flags: the descriptor, as far as it is shown by it
  kDriverEvents,
  kDeviceEvents,
  kRequest,  // in a buffer, by the driver
  kReply,    // in a buffer, by the device
};

// As part of a site's name: "avail_idx".
std::string PartName(Part part);

// What was stored in `part`, for people.
std::string ValueText(Part part, uint64_t value);

class PlaceMap {
 public:
  // The ring at `addrs` and `size` buffers of each kind.
  PlaceMap(const GuestMemory& memory, const RingAddrs& addrs, uint16_t size,
           GuestAddr requests, GuestAddr replies);

  size_t size() const { return places_.size(); }
  Part part(size_t place) const { return places_[place].part; }
  // "avail ring[1]"; one that there is once has no index.
  std::string Text(size_t place) const;

  // The place of a word, which is one of them.
  size_t Find(const void* word) const;
  // What lies there now.
  uint64_t ValueInMemory(size_t place) const;

 private:
  struct Place {
    const std::byte* word = nullptr;
    Part part = Part::kRequest;
    uint16_t index = 0;
    uint16_t bytes = 0;
  };

  void MapSplit(const SplitRingAddrs& addrs, uint16_t size);
  void MapPacked(const PackedRingAddrs& addrs, uint16_t size);
  void Add(Part part, GuestAddr at, uint16_t bytes, uint16_t index = 0);

  const GuestMemory& memory_;
  std::vector<Place> places_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_PLACE_H_
