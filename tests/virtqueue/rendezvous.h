// rendezvous.h: two threads that sleep until the other rings.
//
// A lost notification does not hang the test: the second to fall asleep finds
// the first asleep and no bell rung, and as nobody is left to ring one, that is
// a deadlock for certain. No clock is asked.

#ifndef TESTS_VIRTQUEUE_RENDEZVOUS_H_
#define TESTS_VIRTQUEUE_RENDEZVOUS_H_

#include <condition_variable>
#include <mutex>

class Rendezvous {
 public:
  enum Side { kDriver = 0, kDevice = 1 };

  // Wakes `side`, or keeps it from falling asleep the next time.
  void Ring(Side side) {
    const std::lock_guard<std::mutex> lock(mutex_);
    states_[side].rung = true;
    changed_.notify_all();
  }

  // Sleeps until `side` is rung for. False if nobody is left to do that.
  bool Sleep(Side side) {
    std::unique_lock<std::mutex> lock(mutex_);
    State& own = states_[side];
    own.idle = true;
    ++own.sleeps;
    FindDeadlock();
    changed_.wait(lock, [&] { return own.rung || deadlock_; });
    own.idle = false;
    own.rung = false;
    return !deadlock_;
  }

  // `side` has done its part and will ring no more.
  void Leave(Side side) {
    const std::lock_guard<std::mutex> lock(mutex_);
    states_[side].idle = true;
    states_[side].left = true;
    FindDeadlock();
  }

  bool deadlock() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return deadlock_;
  }
  int sleeps(Side side) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return states_[side].sleeps;
  }

 private:
  struct State {
    bool rung = false;
    bool idle = false;
    bool left = false;
    int sleeps = 0;
  };

  void FindDeadlock() {
    for (const State& state : states_) {
      if (!state.idle || (state.rung && !state.left)) return;
    }
    if (states_[kDriver].left && states_[kDevice].left) return;
    deadlock_ = true;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State states_[2];
  bool deadlock_ = false;
};

#endif  // TESTS_VIRTQUEUE_RENDEZVOUS_H_
