// work.h: the ledger of what a step did.
//
// Left out: prices. A harness that has a clock prices the ledger (the
// simulator's cost model); one that runs in real time only counts it.

#ifndef VSOCK_WORK_H_
#define VSOCK_WORK_H_

#include <cstdint>

namespace vsock {

struct Work {
  uint64_t bytes_copied = 0;  // payload and headers, elided payload included
  uint32_t packets = 0;       // packets a worker or a send handled
  uint32_t descriptors = 0;   // ring descriptors written or walked
  uint32_t kicks = 0;         // available buffer notifications sent, 2.7.10
  uint32_t kicks_suppressed = 0;
  uint32_t interrupts = 0;  // used buffer notifications sent, 2.7.7
  uint32_t interrupts_suppressed = 0;
  uint32_t wakeups = 0;      // sleeping socket users made runnable
  uint32_t allocations = 0;  // packets (socket buffers) allocated
  uint32_t syscalls = 0;     // calls an application made

  Work& operator+=(const Work& other) {
    bytes_copied += other.bytes_copied;
    packets += other.packets;
    descriptors += other.descriptors;
    kicks += other.kicks;
    kicks_suppressed += other.kicks_suppressed;
    interrupts += other.interrupts;
    interrupts_suppressed += other.interrupts_suppressed;
    wakeups += other.wakeups;
    allocations += other.allocations;
    syscalls += other.syscalls;
    return *this;
  }
};

}  // namespace vsock

#endif  // VSOCK_WORK_H_
