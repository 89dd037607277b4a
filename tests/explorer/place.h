// place.h: the words that driver and device share, by the names of the
// specification.
//
// Spec: virtio 1.3, 2.7 and 2.8. Beside the ring, a chain has the bytes of its
// buffer, one word that the driver writes and one that the device writes, and
// may have an indirect table.

#ifndef TESTS_EXPLORER_PLACE_H_
#define TESTS_EXPLORER_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
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
  kTableAddr,  // of an indirect table
  kTableRest,  // as kDescRest
  kTableTail,  // as kPackedTail
  kRequest,    // in a buffer, by the driver
  kReply,      // in a buffer, by the device
};

// As part of a site's name: "avail_idx".
std::string PartName(Part part);

// What was stored in `part`, for people.
std::string ValueText(Part part, uint64_t value);

class PlaceMap {
 public:
  struct Buffers {  // as many of each kind as the ring has descriptors
    GuestAddr requests = GuestAddr(0);
    GuestAddr replies = GuestAddr(0);
    GuestAddr tables = GuestAddr(0);
    uint16_t table_entries = 0;  // of each table; 0: there are no tables
  };

  // The ring of `size` at `addrs`, and what its chains refer to.
  PlaceMap(const GuestMemory& memory, const RingAddrs& addrs, uint16_t size,
           const Buffers& buffers);

  size_t size() const { return places_.size(); }
  Part part(size_t place) const { return places_[place].part; }
  // "avail ring[1]"; one that there is once has no index.
  std::string Text(size_t place) const;

  // The place of that text, if there is one.
  std::optional<size_t> FindText(absl::string_view text) const;
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
  void MapTables(GuestAddr tables, uint32_t entries, Part second);
  void Add(Part part, GuestAddr at, uint16_t bytes, uint16_t index = 0);

  const GuestMemory& memory_;
  std::vector<Place> places_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_PLACE_H_
