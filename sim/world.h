// world.h: one guest and its host in virtual time.
//
// Joins the model of vsock/ to processors and costs: whoever makes a step hands
// its Effects to Settle, which wakes whom they name, books what they count, and
// returns what they cost. The model itself knows none of this.
//
//   guest processors: applications, and the driver's three workers
//   host processors:  applications, and the one worker of the device

#ifndef SIM_WORLD_H_
#define SIM_WORLD_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/actor.h"
#include "sim/chance.h"
#include "sim/cost_model.h"
#include "sim/event_loop.h"
#include "sim/flow_book.h"
#include "sim/interference.h"
#include "sim/level.h"
#include "sim/passage.h"
#include "sim/platform.pb.h"
#include "sim/processors.h"
#include "sim/random.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/task.h"
#include "sim/window.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/properties.h"

namespace sim {

enum class Side : uint8_t { kGuest, kHost };

class World {
 public:
  // `scenario` has every default filled in and has been checked. Errors: what
  // the model refuses to build.
  static absl::StatusOr<std::unique_ptr<World>> Create(const Scenario& scenario,
                                                       const Platform& platform,
                                                       uint64_t seed);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  EventLoop& loop() { return loop_; }
  vsock::Instant now() const { return loop_.now(); }
  const Scenario& scenario() const { return scenario_; }
  const Window& window() const { return window_; }
  Random& root() { return root_; }
  const CostModel& costs() const { return costs_; }
  vsock::Transport& sockets(Side side) {
    return side == Side::kGuest ? guest_->transport() : host_->transport();
  }
  Processors& processors(Side side) {
    return side == Side::kGuest ? guest_cpus_ : host_cpus_;
  }

  // For an application: what the ledger of a call costs.
  vsock::Nanos Charge(const vsock::Work& work, Chance& chance);

  // For an application on `side`: what a call did beyond the ledger it was
  // already charged for. Lets the layer below look at its send list.
  vsock::Nanos FinishCall(Side side, const vsock::Work& work, Chance& chance);

  // For a worker on `side`.
  vsock::Nanos Settle(Side side, Step step, const vsock::Effects& effects,
                      Chance& chance);

  // The task sleeps until the socket is ready for one of `events`. True if it
  // is already, and nothing was noted.
  bool Sleep(Side side, vsock::SocketId socket, uint32_t events, Task& task,
             Chance& chance);

  // Makes a task runnable after the usual latency.
  void Wake(Side side, Task& task, Chance& chance);

  // Packets from `source` belong to sender `index` of a flow.
  struct Origin {
    FlowBook* book = nullptr;
    uint32_t index = 0;
  };
  void Register(vsock::Type type, vsock::Address source, Origin origin);
  const Origin* FindOrigin(vsock::Type type, vsock::Address source) const;

  // Time until now in which the send list of `side` waited for its ring.
  vsock::Nanos RingWait(Side side) const {
    return vsock::Nanos(
        ring_wait_[static_cast<size_t>(side)].Area(loop_.now()));
  }

  // Runs to the end. Cancelled if `stop` was set meanwhile.
  absl::Status Run(const std::atomic<bool>& stop);

  // Operational laws and properties, at the end. The figures of the window.
  absl::Status Check();
  Totals Result() const;

 private:
  class Worker;
  class SendWorker;
  class ReclaimWorker;
  class RxWorker;
  class VhostWorker;

  struct Sleeper {
    Task* task = nullptr;
    Chance* chance = nullptr;
  };

  // A state of the counters that only grow; a window is a difference of two.
  struct Snapshot {
    vsock::Work work;
    uint64_t credit_updates = 0;
    uint64_t worker_wakeups = 0;
    uint64_t task_wakeups = 0;
    vsock::Nanos guest_busy{0};
    vsock::Nanos host_busy{0};
    vsock::Nanos worker_busy{0};
  };

  class Clerk;  // takes the snapshots

  World(const Scenario& scenario, const Platform& platform, uint64_t seed);

  void Dispatch(const vsock::Effects& effects, Chance& chance);
  void WakeSleepers(Side side);
  void Stop(absl::Status breach);
  bool AtRest() const;
  void BookLosses(vsock::LossLog& losses);
  void Observe();
  Snapshot TakeSnapshot() const;

  const Scenario& scenario_;
  const CostModel costs_;
  const Window window_;
  const vsock::Instant end_;
  EventLoop loop_;
  Random root_;
  std::unique_ptr<vsock::Guest> guest_;
  std::unique_ptr<vsock::Host> host_;
  vsock::Device* device_ = nullptr;
  std::optional<vsock::Properties> properties_;  // if they are to be checked
  absl::Status breach_;                          // the first
  Processors guest_cpus_;
  Processors host_cpus_;
  std::unique_ptr<Task> send_worker_;
  std::unique_ptr<Task> reclaim_worker_;
  std::unique_ptr<Task> rx_worker_;
  std::unique_ptr<Task> vhost_worker_;
  std::vector<std::unique_ptr<Interference>> interference_;
  std::unique_ptr<Clerk> clerk_;
  std::array<std::vector<Sleeper>, 2> sleepers_;  // by side, by socket index
  std::array<absl::flat_hash_map<uint64_t, Origin>, 2> origins_;  // by side
  std::array<Level, 2> ring_wait_;
  Passage guest_send_list_;
  Passage tx_ring_;
  Passage host_send_list_;
  vsock::Work work_;
  uint64_t task_wakeups_ = 0;
  uint64_t ring_messages_ = 0;
  Snapshot at_begin_;
  Snapshot at_end_;
};

}  // namespace sim

#endif  // SIM_WORLD_H_
