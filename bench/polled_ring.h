// polled_ring.h: a ring whose halves poll it from two processors, without any
// notification and without payload: nothing but the ring.
//
// `Ring` is a QueueRing or a PlainRing: Add, PublishAdded and Collect are the
// driver's, Serve is the device's.

#ifndef BENCH_POLLED_RING_H_
#define BENCH_POLLED_RING_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bench/doorbell.h"
#include "bench/pin.h"
#include "bench/priority.h"
#include "virtqueue/ring_format.h"

namespace bench {

template <typename Ring>
class PolledRing {
 public:
  struct Load {
    uint32_t depth = 1;  // so many chains of one descriptor are under way
    uint32_t batch = 1;  // at most so many are published at a time
  };

  template <typename... Args>
  explicit PolledRing(const Load& load, Args... args)
      : load_(load), ring_(args...) {}

  // So many more chains go there and come back, the driver on processor 0 and
  // the device on 1. Says what one took, in nanoseconds of wall time.
  double Exchange(uint32_t chains) {
    device_runs_.store(false);
    stop_.store(false);
    std::thread device([this] { RunDevice(); });
    double nanos = 0;
    std::thread driver([this, chains, &nanos] {
      PinToCpu(0);
      Prefer(Priority::kMeasured);
      while (!device_runs_.load()) Relax();
      using Clock = std::chrono::steady_clock;
      const Clock::time_point begin = Clock::now();
      RunDriver(chains);
      const std::chrono::duration<double, std::nano> took =
          Clock::now() - begin;
      nanos = took.count() / chains;
    });
    driver.join();
    stop_.store(true);
    device.join();
    return nanos;
  }

 private:
  void RunDriver(uint32_t chains) {
    uint32_t added = 0;
    for (uint32_t collected = 0; collected < chains;) {
      const uint32_t room = load_.depth - (added - collected);
      const uint32_t now = std::min({load_.batch, room, chains - added});
      for (uint32_t i = 0; i < now; ++i) ring_.Add();
      ring_.PublishAdded();
      added += now;
      collected += ring_.Collect(load_.batch);
    }
  }

  void RunDevice() {
    PinToCpu(1);
    Prefer(Priority::kMeasured);
    device_runs_.store(true);
    while (!stop_.load(std::memory_order_relaxed)) ring_.Serve(load_.batch);
  }

  const Load load_;
  Ring ring_;
  alignas(virtqueue::kCacheLine) std::atomic<bool> device_runs_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace bench

#endif  // BENCH_POLLED_RING_H_
