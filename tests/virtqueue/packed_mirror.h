// packed_mirror.h: what a packed ring has to look like in memory, kept as plain
// numbers by the steps of virtio 1.3, 2.8.21.1 and 2.8.2.

#ifndef TESTS_VIRTQUEUE_PACKED_MIRROR_H_
#define TESTS_VIRTQUEUE_PACKED_MIRROR_H_

#include <cstdint>
#include <map>
#include <vector>

#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/testing/raw_packed.h"

class PackedMirror {
 public:
  PackedMirror(const virtqueue::GuestMemory& memory,
               const virtqueue::PackedRingAddrs& addrs, uint16_t size);

  // The driver has made a chain available in `slots` slots: one for each
  // buffer, or one that refers to a table of them.
  void MakeAvailable(uint64_t token, const std::vector<uint32_t>& readable,
                     const std::vector<uint32_t>& writable, uint32_t slots);

  // The device has used it, with so many bytes written; or with it chains
  // before it, which were skipped, all of them in `slots`.
  void Use(uint64_t token, uint32_t written, uint32_t slots);

  void Skip(uint64_t token) { ids_.erase(token); }

  // How many slots are not as they have to be.
  uint32_t Differs() const;

 private:
  struct Slot {
    uint32_t len = 0;
    uint16_t flags = 0;
    int id = kWhatever;
  };
  static constexpr int kWhatever = -1;

  struct Place {
    uint32_t slot = 0;
    bool wrap_counter = true;
  };
  void Step(Place& place, uint32_t slots) const;
  void Describe(uint32_t len, uint16_t flags);
  uint16_t TakeId(uint64_t token);

  const virtqueue::RawPacked ring_;
  std::vector<Slot> slots_;
  Place driver_;
  Place device_;
  std::map<uint64_t, uint16_t> ids_;  // of chains in the ring, by token
  bool twice_ = false;                // an id was of two of them
};

#endif  // TESTS_VIRTQUEUE_PACKED_MIRROR_H_
