#include "bench/sleeper.h"

#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/doorbell.h"
#include "bench/pin.h"
#include "bench/priority.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

// From saying that one is about to sleep until one surely does.
constexpr std::chrono::microseconds kFallsAsleep{20};

void FutexWait(std::atomic<uint32_t>& word, uint32_t while_it_is) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, while_it_is, nullptr);
}

void FutexWakeOne(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

void Signal(int event) {
  const uint64_t one = 1;
  VSOCK_CHECK(write(event, &one, sizeof(one)) == sizeof(one));
}

}  // namespace

Sleeper::Sleeper(WakeBy by)
    : by_(by), event_(eventfd(0, 0)), nobody_(eventfd(0, 0)) {
  VSOCK_CHECK(event_ >= 0 && nobody_ >= 0);
  thread_ = std::thread([this] { Run(); });
}

Sleeper::~Sleeper() {
  AwaitAsleep();
  stop_.store(true);
  Wake();
  thread_.join();
  close(event_);
  close(nobody_);
}

void Sleeper::AwaitAsleep() const {
  while (asleep_.load() == wakes_) Relax();
  const Clock::time_point until = Clock::now() + kFallsAsleep;
  while (Clock::now() < until) Relax();
}

void Sleeper::Wake() {
  ++wakes_;
  if (by_ == WakeBy::kEventfd) {
    Signal(event_);
  } else {
    word_.store(1);
    FutexWakeOne(word_);
  }
}

void Sleeper::WakeNobody() {
  if (by_ == WakeBy::kEventfd) {
    Signal(nobody_);
  } else {
    idle_word_.store(1);
    FutexWakeOne(idle_word_);
  }
}

Sleeper::Clock::time_point Sleeper::AwaitAwake() {
  while (awake_.load() != wakes_) Relax();
  return Clock::time_point(Clock::duration(awake_at_.load()));
}

void Sleeper::Run() {
  PinToCpu(1);
  Prefer(Priority::kMeasured);
  while (!stop_.load()) {
    ++asleep_;
    Sleep();
    awake_at_.store(Clock::now().time_since_epoch().count());
    ++awake_;
  }
}

void Sleeper::Sleep() {
  if (by_ == WakeBy::kEventfd) {
    uint64_t signals = 0;
    VSOCK_CHECK(read(event_, &signals, sizeof(signals)) == sizeof(signals));
    return;
  }
  while (word_.load() == 0) FutexWait(word_, 0);
  word_.store(0);
}

}  // namespace bench
