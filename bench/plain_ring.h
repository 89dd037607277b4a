// plain_ring.h: a split ring in the plainest way, as a yardstick: what ours
// does about cache lines is worth what it gains over this one.
//
// Spec: virtio 1.3, 2.7, the format and nothing but that. There is no check,
// and the three parts lie on lines of their own. In either kind a half reads
// the other's index anew for each chain, so that line goes to and fro.
//
//   kEachChain    writes its own index for each chain too, and never fences: a
//                 ring whose halves both poll for ever. A half that may ever be
//                 notified must do more (2.7.13, 2.7.14).
//   kBatchFenced  does all that it must, as ours does: writes its index once a
//                 batch, then has a full barrier and looks at the other half's
//                 flags. Ours differs from it in that it remembers the other
//                 half's index, and in its checks.
//
// As with ours, both halves ask for no notifications until told otherwise.
// Either half is used by one thread.

#ifndef BENCH_PLAIN_RING_H_
#define BENCH_PLAIN_RING_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "virtqueue/ring_format.h"

namespace bench {

enum class Publishing { kEachChain, kBatchFenced };

template <Publishing kPublishing>
class PlainRing {
 public:
  PlainRing();

  void Add();  // of which there is room
  void PublishAdded();
  uint32_t Collect(uint32_t most);
  void Serve(uint32_t most);

  // From now on both halves ask for notifications. Nobody gets any: those that
  // would have been sent are counted, by kBatchFenced.
  void EnableNotifications();
  uint64_t driver_notifications() const { return driver_notifications_; }
  uint64_t device_notifications() const { return device_notifications_; }
  uint64_t bytes_served() const { return bytes_served_; }

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
  struct Avail {
    std::atomic<uint16_t> flags = 0;
    std::atomic<uint16_t> idx = 0;
    std::array<std::atomic<uint16_t>, kSize> ring = {};
  };
  struct Used {
    std::atomic<uint16_t> flags = 0;
    std::atomic<uint16_t> idx = 0;
    std::array<UsedElem, kSize> ring;
  };

  // Shared.
  alignas(virtqueue::kCacheLine) std::array<Desc, kSize> desc_;
  alignas(virtqueue::kCacheLine) Avail avail_;
  alignas(virtqueue::kCacheLine) Used used_;

  // The driver's.
  alignas(virtqueue::kCacheLine) uint16_t added_ = 0;
  uint16_t collected_ = 0;
  uint16_t free_head_ = 0;  // of the list by Desc::next
  uint64_t driver_notifications_ = 0;

  // The device's.
  alignas(virtqueue::kCacheLine) uint16_t served_ = 0;
  uint64_t bytes_served_ = 0;
  uint64_t device_notifications_ = 0;
};

extern template class PlainRing<Publishing::kEachChain>;
extern template class PlainRing<Publishing::kBatchFenced>;

}  // namespace bench

#endif  // BENCH_PLAIN_RING_H_
