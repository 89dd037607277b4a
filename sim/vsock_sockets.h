// vsock_sockets.h: virtio-vsock between a guest and its host, in virtual time.
//
// Joins the model of vsock/ to processors and costs: whoever makes a step hands
// its Effects to Settle, which wakes whom they name, books what they count, and
// returns what they cost. The model itself knows none of this.
//
//   guest processors: applications, and the driver's three workers
//   host processors:  applications, and the one worker of the device

#ifndef SIM_VSOCK_SOCKETS_H_
#define SIM_VSOCK_SOCKETS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/chance.h"
#include "sim/cost_model.h"
#include "sim/level.h"
#include "sim/machines.h"
#include "sim/passage.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "sim/transport_sockets.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/properties.h"

namespace sim {

class VsockSockets final : public TransportSockets {
 public:
  // `machines` outlives the layer. Errors: what the model refuses to build.
  static absl::StatusOr<std::unique_ptr<VsockSockets>> Create(
      Machines& machines);
  ~VsockSockets() override;

  vsock::Nanos FinishCall(SocketRef socket, const vsock::Work& work,
                          Chance& chance) override;
  vsock::Nanos RingWait(Side side) const override;
  LayerCounters Counters() const override;
  absl::Status Check() override;

 private:
  class Worker;
  class SendWorker;
  class ReclaimWorker;
  class RxWorker;
  class VhostWorker;

  explicit VsockSockets(Machines& machines);

  vsock::Nanos Settle(Side side, Step step, const vsock::Effects& effects,
                      Chance& chance);
  void Dispatch(const vsock::Effects& effects, Chance& chance);
  bool AtRest() const;
  void Observe();

  std::unique_ptr<vsock::Guest> guest_;
  std::unique_ptr<vsock::Host> host_;
  vsock::Device* device_ = nullptr;
  std::optional<vsock::Properties> properties_;  // if they are to be checked
  std::unique_ptr<Task> send_worker_;
  std::unique_ptr<Task> reclaim_worker_;
  std::unique_ptr<Task> rx_worker_;
  std::unique_ptr<Task> vhost_worker_;
  std::array<Level, kSides> ring_wait_;
  Passage guest_send_list_;
  Passage tx_ring_;
  Passage host_send_list_;
  uint64_t ring_messages_ = 0;
};

}  // namespace sim

#endif  // SIM_VSOCK_SOCKETS_H_
