// wakeup_probe.h: what it costs to wake a thread that sleeps, and to go from
// one thread to another.
//
// The sleeper sleeps on processor 1, about as long as in a busy exchange, and
// is woken from processor 0. On a machine that lets idle processors sleep
// deeply a longer sleep would make it later.

#ifndef BENCH_WAKEUP_PROBE_H_
#define BENCH_WAKEUP_PROBE_H_

#include <cstdint>
#include <vector>

#include "bench/sleeper.h"

namespace bench {

struct WakeupNanos {
  std::vector<double> waker;    // of the call that wakes, above one that wakes
                                // nobody
  std::vector<double> latency;  // start of that call to the sleeper running
};

// One value for each repetition: the median of many wake-ups.
WakeupNanos MeasureWakeups(WakeBy by, uint32_t repetitions);

// sched_yield to another thread on the same processor, above one to none.
std::vector<double> SwitchNanos(uint32_t repetitions);

}  // namespace bench

#endif  // BENCH_WAKEUP_PROBE_H_
