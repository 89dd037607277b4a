// doorbell.h: how one thread is told that the other has something for it.
//
// No wake-up is lost: bells are bits of one word, a thread sleeps only while
// that word is zero, which the sleep itself checks, and whoever makes the word
// non-zero wakes the sleeper. A polling doorbell is never rung and always
// answers that both queues may have something.

#ifndef BENCH_DOORBELL_H_
#define BENCH_DOORBELL_H_

#include <atomic>
#include <cstdint>

#include "bench/bells.h"

namespace bench {

enum class Waiting {
  kSleep,  // notified by the other side; spins a little, then sleeps
  kPoll,   // looks again and again, and notifies nobody
};

// Tells the processor that the thread only waits.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

class Doorbell {
 public:
  explicit Doorbell(Waiting waiting) : waiting_(waiting) {}

  // By the other side.
  void Ring(uint32_t bells) {
    if (bells == 0 || waiting_ == Waiting::kPoll) return;
    if (word_.fetch_or(bells) == 0) word_.notify_one();
  }

  // By the owner: what has been rung since the last call.
  uint32_t Take() {
    if (waiting_ == Waiting::kPoll) return kTxBell | kRxBell;
    return word_.load(std::memory_order_relaxed) == 0 ? 0 : word_.exchange(0);
  }

  // By the owner: returns once there may be something to take.
  void Wait() {
    for (int spins = waiting_ == Waiting::kPoll ? 1 : kSpins; spins > 0;
         --spins) {
      if (word_.load(std::memory_order_relaxed) != 0) return;
      Relax();
    }
    if (waiting_ == Waiting::kPoll) return;
    ++sleeps_;
    word_.wait(0);
  }

  // By the owner: how often spinning did not do.
  uint64_t sleeps() const { return sleeps_; }

 private:
  // A few microseconds, about what it takes to wake a sleeping thread.
  static constexpr int kSpins = 256;

  alignas(64) std::atomic<uint32_t> word_ = 0;
  const Waiting waiting_;
  uint64_t sleeps_ = 0;
};

}  // namespace bench

#endif  // BENCH_DOORBELL_H_
