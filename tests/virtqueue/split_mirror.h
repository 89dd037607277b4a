// split_mirror.h: what a split ring has to look like in memory with
// VIRTIO_F_IN_ORDER, which leaves the driver no choice of descriptors; kept as
// plain numbers by virtio 1.3, 2.7.5, 2.7.6 and 2.7.9.

#ifndef TESTS_VIRTQUEUE_SPLIT_MIRROR_H_
#define TESTS_VIRTQUEUE_SPLIT_MIRROR_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "virtqueue/guest_memory.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/testing/raw_device.h"
#include "virtqueue/testing/raw_driver.h"

class SplitMirror {
 public:
  SplitMirror(const virtqueue::GuestMemory& memory,
              const virtqueue::SplitRingAddrs& addrs, uint16_t size);

  // The driver has made a chain available in `slots` descriptors: one for each
  // buffer, or one that refers to a table of them.
  void MakeAvailable(const std::vector<uint32_t>& readable,
                     const std::vector<uint32_t>& writable, uint32_t slots);

  // The device has used that many of the oldest chains by one element, with so
  // many bytes written to the last of them.
  void Use(uint32_t chains, uint32_t written);

  // How many words and descriptors are not as they have to be.
  uint32_t Differs() const;

 private:
  struct Slot {
    uint32_t len = 0;
    uint16_t flags = 0;
    uint16_t next = 0;  // means something with NEXT
  };
  struct Element {
    uint32_t id = 0;
    uint32_t len = 0;
  };

  void Describe(uint32_t len, uint16_t flags);

  const uint32_t size_;
  const virtqueue::RawDevice seen_by_device_;
  const virtqueue::RawDriver seen_by_driver_;
  std::vector<Slot> table_;
  std::vector<uint16_t> heads_;
  std::vector<Element> used_;
  std::deque<uint16_t> in_ring_;  // heads, the oldest first
  uint32_t next_slot_ = 0;
  uint64_t available_ = 0;
  uint64_t used_count_ = 0;
};

#endif  // TESTS_VIRTQUEUE_SPLIT_MIRROR_H_
