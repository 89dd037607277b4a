// two_threads.h: a guest on one thread, host and device on another, real
// payload in memory they share.
//
// Each thread runs its workers and its application in turn: one step of each
// worker, then at most one send or receive. The two meet in the rings, as in
// life, and in two doorbells that stand for kicks and interrupts.
// Left out: what a real notification costs. A doorbell is one atomic operation,
// and a futex if the other side sleeps; there is no exit and no interrupt.

#ifndef BENCH_TWO_THREADS_H_
#define BENCH_TWO_THREADS_H_

#include <chrono>
#include <cstdint>

#include "bench/doorbell.h"
#include "bench/flow_pair.h"
#include "vsock/work.h"

namespace bench {

struct TwoThreadsRun {
  FlowShape flow;
  uint64_t messages = 0;
  Waiting waiting = Waiting::kSleep;
  bool compare = false;  // every byte that comes with what was sent
};

struct TwoThreadsResult {
  uint64_t reads = 0;  // of datagrams: messages
  uint64_t bytes = 0;
  uint64_t dropped = 0;  // datagrams, whatever the cause
  bool intact = false;   // all that came was what was sent, in order
  uint64_t sleeps = 0;   // how often a thread waited for its doorbell
  vsock::Work work;      // of both sides' workers
  std::chrono::nanoseconds elapsed{0};
  std::chrono::nanoseconds cpu{0};  // of both threads
};

TwoThreadsResult RunTwoThreads(const TwoThreadsRun& run);

}  // namespace bench

#endif  // BENCH_TWO_THREADS_H_
