// task.h: a thread of a guest or of the host.
//
// A task alternates between bursts, which cost processor time, and the visible
// parts at their ends, which cost none. Checking for work and blocking are one
// Run(), so nothing can come between them.
//
//              Ready                 a processor is free
//   kBlocked ---------> kRunnable -----------------------> kActive
//       ^                                                     |
//       +------------- Run() returns nothing -----------------+
//
//   kBlocked   waits for Ready().
//   kRunnable  was made ready; Run() has not been called since.
//   kActive    Run() has been called since; on a processor, or waiting for one
//              with a burst still to pay. Ready() is remembered here: the next
//              attempt to block calls Run() again instead.

#ifndef SIM_TASK_H_
#define SIM_TASK_H_

#include <cstdint>
#include <optional>

#include "vsock/units.h"

namespace sim {

// What a task has used so far.
struct TaskUse {
  vsock::Nanos busy{0};              // bursts begun
  vsock::Nanos waiting{0};           // in the run queue, ended waits
  uint64_t wakeups = 0;              // calls of Ready()
  uint64_t wakeups_while_awake = 0;  // those of a task that did not sleep
  uint64_t preemptions = 0;          // its time slice was over
};

class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;

  // Called when the task holds a processor and its last burst has been paid.
  // Does the visible part of that burst, starts the next one, and returns its
  // length; or nothing, to block until Ready().
  virtual std::optional<vsock::Nanos> Run(vsock::Instant now) = 0;

  // Ties the task to one processor of its set; before its first Ready().
  void PinTo(uint32_t processor) { pinned_ = processor; }

  // Blocked, and nobody has woken it.
  bool asleep() const { return state_ == State::kBlocked; }

  const TaskUse& use() const { return use_; }

 private:
  friend class Processor;
  friend class Processors;

  enum class State : uint8_t { kBlocked, kRunnable, kActive };

  State state_ = State::kBlocked;
  bool woken_ = false;  // Ready() came while kActive
  std::optional<uint32_t> pinned_;
  uint32_t last_processor_ = 0;
  uint32_t id_ = 0;  // 1, 2, ... in the order of the first Ready()
  std::optional<vsock::Nanos> owed_;  // burst to pay after a preemption
  TaskUse use_;
};

}  // namespace sim

#endif  // SIM_TASK_H_
