// ring_pair.h: both halves of one ring in turn on one thread, so that
// what is measured is the code of the ring and not the road between two cores.

#ifndef BENCH_RING_PAIR_H_
#define BENCH_RING_PAIR_H_

#include <cstdint>
#include <vector>

#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace bench {

class RingPair {
 public:
  struct Shape {
    virtqueue::RingFormat format = virtqueue::RingFormat::kSplit;
    uint16_t ring_size = 256;
    uint16_t descriptors = 1;  // of each chain, all readable
    bool indirect = false;
    bool event_idx = false;
  };

  explicit RingPair(const Shape& shape);

  // As many chains as the ring holds at once.
  uint32_t capacity() const;

  // Each for so many chains, of which it expects that there are as many.
  void Add(uint32_t chains);
  void PopAndPush(uint32_t chains);
  void Pop(uint32_t chains);   // keeps them
  void Push(uint32_t chains);  // of those kept, the oldest
  void Collect(uint32_t chains);

  // Once notifications are asked for, as by a half that goes idle, they are
  // counted; without that they are suppressed.
  void PublishAdded();
  void PublishUsed();
  void DriverEnable() { driver_.EnableNotifications(); }
  void DeviceEnable() { device_.EnableNotifications(); }
  uint64_t kicks() const { return kicks_; }
  uint64_t interrupts() const { return interrupts_; }

  // All of it, `batch` chains at a time; with the event index each half asks to
  // be notified before it goes idle.
  void Round(uint32_t batch);

 private:
  virtqueue::DriverQueue MakeDriver();
  virtqueue::DeviceQueue MakeDevice() const;

  const Shape shape_;
  virtqueue::OwnedGuestMemory memory_;
  const virtqueue::RingAddrs addrs_;
  virtqueue::DriverQueue driver_;
  virtqueue::DeviceQueue device_;
  virtqueue::Chain chain_;
  std::vector<virtqueue::Chain> kept_;
  uint32_t first_kept_ = 0;
  uint32_t kept_end_ = 0;
  std::vector<virtqueue::DriverQueue::Buffer> buffers_;
  uint64_t kicks_ = 0;
  uint64_t interrupts_ = 0;
};

}  // namespace bench

#endif  // BENCH_RING_PAIR_H_
