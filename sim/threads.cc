#include "sim/threads.h"

#include <thread>
#include <vector>

namespace sim {

void WorkOnThreads(uint32_t jobs, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  for (uint32_t i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace sim
