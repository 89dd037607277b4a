// polled_ring.h: a split ring whose halves poll it from two processors, without
// any notification and without payload: nothing but the ring.

#ifndef BENCH_POLLED_RING_H_
#define BENCH_POLLED_RING_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/split_ring.h"

namespace bench {

class PolledRing {
 public:
  // Up to `depth` chains of one descriptor are under way.
  explicit PolledRing(uint32_t depth);
  ~PolledRing();

  // So many more chains go there and come back: the driver's thread, on
  // processor 0, begins and ends here, the device's, on 1, with the ring.
  void Exchange(uint32_t chains);

 private:
  void RunDriver(uint32_t chains);
  void RunDevice();
  uint32_t CollectAll();

  static constexpr uint16_t kSize = 256;

  const uint32_t depth_;
  virtqueue::OwnedGuestMemory memory_;
  const virtqueue::SplitRingAddrs addrs_;
  virtqueue::DriverQueue driver_;
  virtqueue::DeviceQueue device_;
  alignas(virtqueue::kCacheLine) std::atomic<bool> stop_ = false;
  std::thread device_thread_;
};

}  // namespace bench

#endif  // BENCH_POLLED_RING_H_
