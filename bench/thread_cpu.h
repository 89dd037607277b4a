// thread_cpu.h: processor time that the calling thread has used.
//
// On a machine with other work it says what code costs where wall time cannot.
// Reading it is a system call, so time many rounds at once.

#ifndef BENCH_THREAD_CPU_H_
#define BENCH_THREAD_CPU_H_

#include <time.h>

#include <chrono>

namespace bench {

inline std::chrono::nanoseconds ThreadCpu() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) +
         std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace bench

#endif  // BENCH_THREAD_CPU_H_
