// probe.h: how one cost of this machine is measured: again and again, each time
// over many rounds, on a thread of its own that keeps to one processor.

#ifndef BENCH_PROBE_H_
#define BENCH_PROBE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "bench/pin.h"
#include "bench/priority.h"
#include "bench/thread_cpu.h"

namespace bench {

// Processor time of one round of `work`, in nanoseconds.
template <typename Work>
double CpuNanosPerRound(uint32_t rounds, Work work) {
  const std::chrono::nanoseconds begin = ThreadCpu();
  for (uint32_t round = 0; round < rounds; ++round) work();
  return static_cast<double>((ThreadCpu() - begin).count()) / rounds;
}

// Calls `measure` that often, after a first time that does not count, on
// processor 0.
inline std::vector<double> Repeat(uint32_t repetitions,
                                  const std::function<double()>& measure) {
  std::vector<double> values;
  std::thread prober([&] {
    PinToCpu(0);
    Prefer(Priority::kMeasured);
    measure();
    for (uint32_t i = 0; i < repetitions; ++i) values.push_back(measure());
  });
  prober.join();
  return values;
}

}  // namespace bench

#endif  // BENCH_PROBE_H_
