#include "bench/wakeup_probe.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bench/pin.h"
#include "bench/priority.h"
#include "bench/probe.h"
#include "bench/spread.h"

namespace bench {
namespace {

using Clock = Sleeper::Clock;

constexpr uint32_t kWakeups = 200;
constexpr uint32_t kYields = 50;
constexpr uint32_t kYieldBatches = 40;

double Nanos(Clock::duration length) {
  return std::chrono::duration<double, std::nano>(length).count();
}

struct Wakeup {
  double waker;
  double latency;
};

Wakeup WakeOnce(Sleeper& sleeper) {
  sleeper.AwaitAsleep();
  const Clock::time_point begin = Clock::now();
  sleeper.WakeNobody();
  const Clock::time_point between = Clock::now();
  sleeper.Wake();
  const Clock::time_point end = Clock::now();
  const Clock::time_point awake = sleeper.AwaitAwake();
  return {.waker = Nanos((end - between) - (between - begin)),
          .latency = Nanos(awake - between)};
}

// A thread that takes every turn on processor 0 that it is given.
class Yielder {
 public:
  Yielder()
      : thread_([this] {
          PinToCpu(0);
          Prefer(Priority::kMeasured);
          running_ = true;
          while (!stop_.load(std::memory_order_relaxed)) sched_yield();
        }) {
    while (!running_) sched_yield();
  }
  ~Yielder() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> running_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Wall time of a call: with a second thread, of a turn of both. Of many batches
// the one that a tenth of them do not exceed, since others may take a turn too.
double YieldNanos() {
  std::vector<double> batches;
  for (uint32_t batch = 0; batch < kYieldBatches; ++batch) {
    const Clock::time_point begin = Clock::now();
    for (uint32_t i = 0; i < kYields; ++i) sched_yield();
    batches.push_back(Nanos(Clock::now() - begin) / kYields);
  }
  return SpreadOf(batches).low;
}

}  // namespace

WakeupNanos MeasureWakeups(WakeBy by, uint32_t repetitions) {
  Sleeper sleeper(by);
  WakeupNanos result;
  const auto measure = [&] {
    std::vector<double> waker, latency;
    for (uint32_t i = 0; i < kWakeups; ++i) {
      const Wakeup wakeup = WakeOnce(sleeper);
      waker.push_back(wakeup.waker);
      latency.push_back(wakeup.latency);
    }
    result.latency.push_back(Median(latency));
    return Median(waker);
  };
  result.waker = Repeat(repetitions, measure);
  result.latency.erase(result.latency.begin());  // of the time not counted
  return result;
}

std::vector<double> SwitchNanos(uint32_t repetitions) {
  return Repeat(repetitions, [] {
    const double alone = YieldNanos();
    const Yielder other;
    return YieldNanos() / 2 - alone;
  });
}

}  // namespace bench
