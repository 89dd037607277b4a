// sleeper.h: a thread on processor 1 that sleeps until it is woken, notes when
// it runs again, and goes back to sleep.

#ifndef BENCH_SLEEPER_H_
#define BENCH_SLEEPER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace bench {

enum class WakeBy { kFutex, kEventfd };

class Sleeper {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Sleeper(WakeBy by);
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper();

  // Returns when the thread is about to sleep, and some microseconds later.
  void AwaitAsleep() const;

  // The call that wakes; nothing else is in it.
  void Wake();

  // The same call when nobody sleeps, on an object of its own.
  void WakeNobody();

  // After Wake: when the thread ran again.
  Clock::time_point AwaitAwake();

 private:
  void Run();
  void Sleep();

  const WakeBy by_;
  int event_ = -1;                              // an eventfd
  int nobody_ = -1;                             // another, which nobody reads
  alignas(64) std::atomic<uint32_t> word_ = 0;  // futex: 1 is awake
  alignas(64) std::atomic<uint32_t> idle_word_ = 0;
  alignas(64) std::atomic<uint64_t> asleep_ = 0;  // sleeps begun
  alignas(64) std::atomic<uint64_t> awake_ = 0;   // sleeps ended
  std::atomic<Clock::duration::rep> awake_at_ = 0;
  uint64_t wakes_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace bench

#endif  // BENCH_SLEEPER_H_
