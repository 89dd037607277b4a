// pin.h: keeps the calling thread on one processor, where the system lets it.

#ifndef BENCH_PIN_H_
#define BENCH_PIN_H_

#include <sched.h>

#include <thread>

namespace bench {

// Without that processor, or without permission, the thread stays free.
inline void PinToCpu(unsigned cpu) {
  if (cpu >= std::thread::hardware_concurrency()) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(cpu, &only);
  sched_setaffinity(/*pid=*/0, sizeof(only), &only);  // 0: this thread
}

}  // namespace bench

#endif  // BENCH_PIN_H_
