// machines.h: a guest's and its host's processors in virtual time.
//
// What every socket layer (socket_layer.h) of a run shares: time, chance, costs
// and the two sets of processors, so that flows of different layers meet where
// they would meet in reality, on the processors.
//
//   guest processors: applications and the guest's half of each layer
//   host processors:  applications and the devices' workers

#ifndef SIM_MACHINES_H_
#define SIM_MACHINES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sim/chance.h"
#include "sim/cost_model.h"
#include "sim/event_loop.h"
#include "sim/interference.h"
#include "sim/platform.pb.h"
#include "sim/processors.h"
#include "sim/random.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/task.h"
#include "sim/window.h"
#include "vsock/units.h"

namespace sim {

class Machines {
 public:
  // `scenario` outlives this, has every default filled in and has been checked.
  Machines(const Scenario& scenario, const Platform& platform, uint64_t seed);
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  EventLoop& loop() { return loop_; }
  vsock::Instant now() const { return loop_.now(); }
  const Scenario& scenario() const { return scenario_; }
  const Window& window() const { return window_; }
  const Random& root() const { return root_; }
  const CostModel& costs() const { return costs_; }
  Processors& processors(Side side) {
    return side == Side::kGuest ? guest_cpus_ : host_cpus_;
  }

  // A stream of chance of its own for the task of that name.
  Chance ChanceOf(absl::string_view task) const {
    return Chance(root_, task, scenario_.randomness());
  }

  // Makes a task runnable once `delay` has passed.
  void WakeAfter(Side side, Task& task, Delay delay, Chance& chance) {
    processors(side).Ready(task, costs_.Length(delay, chance.WakeupFactor()));
  }

  // Makes an application or a kernel thread runnable after the usual latency.
  void Wake(Side side, Task& task, Chance& chance) {
    ++task_wakeups_;
    WakeAfter(side, task, Delay::kTaskLatency, chance);
  }

  uint64_t task_wakeups() const { return task_wakeups_; }

  // Processor time used so far, summed over the side's processors.
  vsock::Nanos Busy(Side side);

  // Ends the run; the first breach is kept.
  void Stop(absl::Status breach);
  const absl::Status& breach() const { return breach_; }

  // The operational laws of the processors.
  absl::Status Check() const;

 private:
  const Scenario& scenario_;
  const CostModel costs_;
  const Window window_;
  EventLoop loop_;
  const Random root_;
  Processors guest_cpus_;
  Processors host_cpus_;
  std::vector<std::unique_ptr<Interference>> interference_;
  absl::Status breach_;
  uint64_t task_wakeups_ = 0;
};

}  // namespace sim

#endif  // SIM_MACHINES_H_
