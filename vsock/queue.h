// queue.h: the virtqueues of the socket device that carry packets.
//
// Spec: virtio 1.3, 5.10.2. Left out: the event queue.

#ifndef VSOCK_QUEUE_H_
#define VSOCK_QUEUE_H_

#include <cstdint>

namespace vsock {

enum class Queue : uint8_t {
  kRx = 0,  // to the driver
  kTx = 1,  // from it
};

}  // namespace vsock

#endif  // VSOCK_QUEUE_H_
