// plain_ring.h: a split ring in the plainest way, as a yardstick: what ours
// does about cache lines is worth what it gains over this one.
//
// Each chain is published alone, and the other half's index is read for each,
// so its line goes to and fro for each. The three parts lie on lines of their
// own, there is nothing but the format of virtio 1.3, 2.7, and no check at all.
//
// Either half is used by one thread.

#ifndef BENCH_PLAIN_RING_H_
#define BENCH_PLAIN_RING_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "virtqueue/ring_format.h"

namespace bench {

class PlainRing {
 public:
  PlainRing();

  void Add();  // of which there is room
  void PublishAdded() {}
  uint32_t Collect(uint32_t most);
  void Serve(uint32_t most);

 private:
  static constexpr uint16_t kSize = 256;

  struct Desc {
    std::atomic<uint64_t> addr = 0;
    std::atomic<uint32_t> len = 0;
    std::atomic<uint16_t> flags = 0;
    std::atomic<uint16_t> next = 0;
  };
  struct UsedElem {
    std::atomic<uint32_t> id = 0;
    std::atomic<uint32_t> len = 0;
  };

  // Shared.
  alignas(virtqueue::kCacheLine) std::array<Desc, kSize> desc_;
  alignas(virtqueue::kCacheLine) std::atomic<uint16_t> avail_idx_ = 0;
  std::array<std::atomic<uint16_t>, kSize> avail_ring_ = {};
  alignas(virtqueue::kCacheLine) std::atomic<uint16_t> used_idx_ = 0;
  std::array<UsedElem, kSize> used_ring_;

  // The driver's.
  alignas(virtqueue::kCacheLine) uint16_t added_ = 0;
  uint16_t collected_ = 0;
  uint16_t free_head_ = 0;  // of the list by Desc::next

  // The device's.
  alignas(virtqueue::kCacheLine) uint16_t used_ = 0;
  uint64_t bytes_seen_ = 0;
};

}  // namespace bench

#endif  // BENCH_PLAIN_RING_H_
