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
#include "sim/sleepers.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/properties.h"

namespace sim {

class VsockSockets final : public SocketLayer {
 public:
  // `machines` outlives the layer. Errors: what the model refuses to build.
  static absl::StatusOr<std::unique_ptr<VsockSockets>> Create(
      Machines& machines);
  ~VsockSockets() override;

  absl::StatusOr<vsock::SocketId> Open(Side side, const Scenario::Flow& flow,
                                       uint32_t port, bool sends) override;
  vsock::Address LocalAddress(SocketRef socket) const override;
  absl::Status Listen(SocketRef socket, uint32_t backlog) override;
  absl::StatusOr<vsock::SocketId> Accept(SocketRef listener) override;
  vsock::Address PeerAddress(SocketRef connection) const override;
  absl::Status Connect(SocketRef socket, vsock::Address peer,
                       vsock::Instant now) override;
  absl::Status ConnectStatus(SocketRef socket) const override;
  absl::Status Close(SocketRef socket, vsock::Instant now) override;
  vsock::SendResult BeginSend(SocketRef socket,
                              const vsock::Message& message) override;
  void EndSend(SocketRef socket) override;
  ReadPlan PlanRead(SocketRef socket, uint32_t max) const override;
  vsock::ReceiveResult Receive(SocketRef socket, std::byte* out,
                               uint32_t max) override;
  bool IsReady(SocketRef socket, uint32_t events) const override;
  bool Sleep(SocketRef socket, uint32_t events, Task& task,
             Chance& chance) override;
  vsock::Nanos Charge(SocketRef socket, const vsock::Work& work,
                      Chance& chance) override;
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

  vsock::Transport& transport(Side side) const {
    return side == Side::kGuest ? guest_->transport() : host_->transport();
  }
  vsock::Nanos Settle(Side side, Step step, const vsock::Effects& effects,
                      Chance& chance);
  void Dispatch(const vsock::Effects& effects, Chance& chance);
  void WakeSleepers(Side side);
  bool AtRest() const;
  void BookLosses(vsock::LossLog& losses);
  void Observe();

  Machines& machines_;
  std::unique_ptr<vsock::Guest> guest_;
  std::unique_ptr<vsock::Host> host_;
  vsock::Device* device_ = nullptr;
  std::optional<vsock::Properties> properties_;  // if they are to be checked
  std::unique_ptr<Task> send_worker_;
  std::unique_ptr<Task> reclaim_worker_;
  std::unique_ptr<Task> rx_worker_;
  std::unique_ptr<Task> vhost_worker_;
  std::array<Sleepers, kSides> sleepers_;
  std::array<Level, kSides> ring_wait_;
  Passage guest_send_list_;
  Passage tx_ring_;
  Passage host_send_list_;
  vsock::Work work_;
  uint64_t ring_messages_ = 0;
};

}  // namespace sim

#endif  // SIM_VSOCK_SOCKETS_H_
