// threads.h: the same work on several threads.

#ifndef SIM_THREADS_H_
#define SIM_THREADS_H_

#include <cstdint>
#include <functional>

namespace sim {

// Calls `work` on `jobs` threads, one of them the caller's, and returns when
// all have returned. 0 jobs are 1.
void WorkOnThreads(uint32_t jobs, const std::function<void()>& work);

}  // namespace sim

#endif  // SIM_THREADS_H_
