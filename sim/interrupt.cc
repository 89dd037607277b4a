#include "sim/interrupt.h"

#include <signal.h>

#include <atomic>

namespace sim {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a handler");

void OnInterrupt(int /*signal*/) { stop = true; }

}  // namespace

const std::atomic<bool>& StopOnInterrupt() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  return stop;
}

}  // namespace sim
