// processors.h: the CPUs of one machine, and who runs on them when.
//
// A set of CPUs with one run queue, first come, first served; a set of one is a
// pinned CPU. Uncontended, a burst is exactly one event.
//   - Wake-up: a task goes to its last processor if that is idle, else to
//     another idle one, else to the run queue. Latency is what waking an idle
//     processor takes; from the run queue a task starts when one is free.
//   - A running task yields at the end of a burst, when its time slice is over
//     and another task waits for this processor.
//   - A switch costs `context_switch` whenever the processor ran another task
//     before, also if it was idle in between.
// Left out: priorities, migration of a running task, preemption in a burst.

#ifndef SIM_PROCESSORS_H_
#define SIM_PROCESSORS_H_

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sim/event_loop.h"
#include "sim/laws.h"
#include "sim/processor.h"
#include "sim/random.h"
#include "sim/run_queue.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {

class Processors {
 public:
  static constexpr uint32_t kMaxCount = 256;

  struct Options {
    uint32_t count = 1;  // 1..kMaxCount
    // By default a task runs until it blocks. At least one nanosecond.
    vsock::Nanos time_slice{INT64_MAX};
    vsock::Nanos context_switch{0};
    // Picks among idle processors, and orders tasks that came to the run queue
    // at the same instant. Without it: the lowest processor, order of Ready().
    std::optional<Random> order;
  };

  Processors(EventLoop& loop, std::string name, Options options);

  // Makes `task` runnable, `wakeup_latency` from now if a processor is idle. A
  // task that is not blocked does not lose the wake-up: see task.h. From now on
  // it belongs to this set, which must not run again once the task is gone.
  void Ready(Task& task, vsock::Nanos wakeup_latency);

  // Takes `cost` from whatever runs on the processor, or occupies it if idle.
  void Interrupt(uint32_t processor, vsock::Nanos cost);

  const std::string& name() const { return name_; }
  const Options& options() const { return options_; }
  uint32_t count() const { return options_.count; }
  const Processor& processor(uint32_t index) const { return *all_[index]; }
  size_t waiting() const { return run_queue_.length(); }

  // The utilisation law for each processor; Little's law and flow balance for
  // the run queue.
  absl::Status Check() const;

 private:
  friend class Processor;

  void Adopt(Task& task);
  // An idle processor for `task`, which is busy from now on.
  std::optional<uint32_t> TakeIdle(const Task& task);
  uint32_t PickIdle();
  void Place(Task& task, vsock::Instant start);
  void Enqueue(Task& task);
  bool HasNext(const Processor& processor) const;
  Task* TakeNext(const Processor& processor);
  void OnIdle(const Processor& processor);
  bool SliceIsOver(const Processor& processor, vsock::Nanos in_slice) const {
    return in_slice >= options_.time_slice && HasNext(processor);
  }

  EventLoop& loop_;
  const std::string name_;
  Options options_;
  std::vector<std::unique_ptr<Processor>> all_;
  std::bitset<kMaxCount> idle_;  // by processor
  uint32_t tasks_ = 0;
  uint64_t tickets_ = 0;
  RunQueue floating_;             // may run anywhere
  std::vector<RunQueue> pinned_;  // by processor
  Station run_queue_;             // all of these queues together
};

}  // namespace sim

#endif  // SIM_PROCESSORS_H_
