// buffer_places.h: equal places for frames in guest memory.
//
// While payloads are elided a place holds what is kept of a frame. The rest of
// its length runs on over the following places: nobody reads it.

#ifndef SIM_PEERS_BUFFER_PLACES_H_
#define SIM_PEERS_BUFFER_PLACES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "sim/peers/net_frame.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/split_ring.h"
#include "vsock/packet.h"

namespace sim {

class BufferPlaces {
 public:
  struct Options {
    uint16_t count = 0;
    uint32_t longest = 0;  // header and frame together
    vsock::PayloadMode payload = vsock::PayloadMode::kElided;

    // From one place to the next.
    uint64_t Stride() const {
      const uint64_t held = KeptOfFrame(payload, longest) + kNetHdrBytes;
      return (held + virtqueue::kCacheLine - 1) & ~(virtqueue::kCacheLine - 1);
    }
    uint64_t Bytes() const { return count * Stride() + longest; }
  };

  BufferPlaces(virtqueue::OwnedGuestMemory& memory, const Options& options)
      : stride_(options.Stride()),
        base_(memory.Allocate(options.Bytes(), virtqueue::kCacheLine)),
        bytes_(*memory.memory().Table<std::byte>(
            base_, static_cast<uint32_t>(options.Bytes()))) {}

  virtqueue::GuestAddr address(size_t place) const {
    return base_ + place * stride_;
  }
  // What is really held there.
  absl::Span<std::byte> bytes(size_t place) const {
    return bytes_.subspan(place * stride_, stride_);
  }

 private:
  uint64_t stride_;
  virtqueue::GuestAddr base_;
  absl::Span<std::byte> bytes_;
};

}  // namespace sim

#endif  // SIM_PEERS_BUFFER_PLACES_H_
