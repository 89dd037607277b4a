// ring_view.h: one split ring as its bytes lie in guest memory, read without
// any help from the queues under test.
//
// Spec: virtio 1.3, 2.7.5, 2.7.6 and 2.7.8, by offset.

#ifndef TESTS_SUPPORT_RING_VIEW_H_
#define TESTS_SUPPORT_RING_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/split_ring.h"

namespace vsock {

class RingView {
 public:
  struct Used {
    uint32_t id;
    uint32_t len;
    friend bool operator==(const Used&, const Used&) = default;
  };
  struct Buffer {
    uint64_t addr;
    uint32_t len;
    bool writable;
  };

  RingView(const virtqueue::GuestMemory& memory,
           const virtqueue::RingAddrs& addrs, uint16_t size)
      : memory_(memory),
        addrs_(std::get<virtqueue::SplitRingAddrs>(addrs)),
        size_(size) {}

  uint16_t avail_idx() const { return Read16(addrs_.avail.value() + 2); }
  uint16_t used_idx() const { return Read16(addrs_.used.value() + 2); }
  // Entry number `idx`, modulo the ring.
  uint16_t AvailHead(uint16_t idx) const;
  Used UsedEntry(uint16_t idx) const;

  // The buffers of the chain at `head`, an indirect table followed.
  std::vector<Buffer> Chain(uint16_t head) const;
  // The first `max` bytes that the chain describes.
  std::vector<std::byte> Bytes(uint16_t head, size_t max) const;

 private:
  uint64_t Read(uint64_t at, uint32_t bytes) const;
  uint16_t Read16(uint64_t at) const {
    return static_cast<uint16_t>(Read(at, 2));
  }

  const virtqueue::GuestMemory& memory_;
  virtqueue::SplitRingAddrs addrs_;
  uint16_t size_;
};

}  // namespace vsock

#endif  // TESTS_SUPPORT_RING_VIEW_H_
