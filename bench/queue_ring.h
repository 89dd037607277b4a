// queue_ring.h: a DriverQueue and a DeviceQueue on one ring, of either format,
// as PolledRing wants them. Either half is used by one thread.

#ifndef BENCH_QUEUE_RING_H_
#define BENCH_QUEUE_RING_H_

#include <cstdint>

#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace bench {

class QueueRing {
 public:
  QueueRing(virtqueue::RingFormat format, uint16_t size);

  void Add();  // of which there is room
  void PublishAdded() { driver_.Publish(); }
  uint32_t Collect(uint32_t most);
  void Serve(uint32_t most);

 private:
  virtqueue::OwnedGuestMemory memory_;
  const virtqueue::RingAddrs addrs_;
  const virtqueue::GuestAddr buffer_;
  virtqueue::DriverQueue driver_;
  virtqueue::DeviceQueue device_;
  virtqueue::Chain chain_;
};

}  // namespace bench

#endif  // BENCH_QUEUE_RING_H_
