// world.h: one run: the machines and the socket layers of its flows.

#ifndef SIM_WORLD_H_
#define SIM_WORLD_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/machines.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/socket_layer.h"
#include "vsock/units.h"

namespace sim {

class World {
 public:
  // `scenario` outlives this, has every default filled in and has been checked.
  // Errors: what a layer refuses to build.
  static absl::StatusOr<std::unique_ptr<World>> Create(const Scenario& scenario,
                                                       const Platform& platform,
                                                       uint64_t seed);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  Machines& machines() { return machines_; }

  // The layer of a transport that a flow of the scenario uses.
  SocketLayer& layer(Scenario::Flow::Transport transport) {
    return *layers_.at(transport);
  }

  // Runs to the end. Cancelled if `stop` was set meanwhile.
  absl::Status Run(const std::atomic<bool>& stop);

  // Operational laws and properties, at the end. The figures of the window.
  absl::Status Check();
  Totals Result();

 private:
  // A state of the counters that only grow; a window is a difference of two.
  struct Snapshot {
    LayerCounters layers;  // of all together
    uint64_t task_wakeups = 0;
    vsock::Nanos guest_busy{0};
    vsock::Nanos host_busy{0};
  };

  class Clerk;  // takes the snapshots

  World(const Scenario& scenario, const Platform& platform, uint64_t seed);

  Snapshot TakeSnapshot();

  Machines machines_;
  const vsock::Instant end_;
  std::map<Scenario::Flow::Transport, std::unique_ptr<SocketLayer>> layers_;
  std::unique_ptr<Clerk> clerk_;
  Snapshot at_begin_;
  Snapshot at_end_;
};

}  // namespace sim

#endif  // SIM_WORLD_H_
