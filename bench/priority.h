// priority.h: keeps other work off the processor that the calling thread runs
// on, where the system lets it, so that a busy machine measures as an idle one.

#ifndef BENCH_PRIORITY_H_
#define BENCH_PRIORITY_H_

#include <sched.h>

#include <thread>

namespace bench {

enum class Priority {
  kMeasured = 1,  // what is measured
  kWatching = 2,  // who ends the measurement
};

// From now on the thread runs before all ordinary ones, in real time. Without
// permission, or on a machine of one processor, it stays as it is. Equals take
// turns (SCHED_RR), so two programs that measure at once hinder each other but
// both come to an end.
inline void Prefer(Priority priority) {
  if (std::thread::hardware_concurrency() < 2) return;
  const sched_param param = {.sched_priority = static_cast<int>(priority)};
  sched_setscheduler(/*pid=*/0, SCHED_RR, &param);  // 0: this thread
}

}  // namespace bench

#endif  // BENCH_PRIORITY_H_
