// message_line.h: messages through a split ring into the device's buffer, each
// added, popped, copied, pushed and collected before the next.
//
// A message of one descriptor has its header in front of its payload. One of
// several has its header elsewhere and in the first, its payload in equal parts
// in the others. `copied` is what a program must do whose header lies elsewhere
// too and who wants one descriptor: it copies the payload there.

#ifndef BENCH_MESSAGE_LINE_H_
#define BENCH_MESSAGE_LINE_H_

#include <cstdint>
#include <vector>

#include "bench/payload_pool.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/split_ring.h"

namespace bench {

class MessageLine {
 public:
  struct Shape {
    uint16_t descriptors = 1;
    bool indirect = false;
    bool copied = false;  // of one descriptor
  };

  // `pool` outlives the line.
  MessageLine(const Shape& shape, PayloadPool& pool);

  // The pool's next message into its received(). Says of how many descriptors
  // its chain was.
  uint32_t Carry();

 private:
  virtqueue::DriverQueue MakeDriver();
  void WriteFrame();
  void SetLengths();
  void LayOut(virtqueue::GuestAddr message);
  void CopyBehindHeader(virtqueue::GuestAddr payload);

  const Shape shape_;
  PayloadPool& pool_;
  const virtqueue::SplitRingAddrs addrs_;
  virtqueue::DriverQueue driver_;
  virtqueue::DeviceQueue device_;
  const virtqueue::GuestAddr frame_;  // a header, room for a payload behind it
  std::vector<virtqueue::DriverQueue::Buffer> buffers_;
  virtqueue::Chain chain_;
};

}  // namespace bench

#endif  // BENCH_MESSAGE_LINE_H_
