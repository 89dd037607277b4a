// transport_sockets.h: what the layers over vsock/transport.h have in common.
//
// Calls go to the transport of the socket's side as they are. What they owe to
// the world (FinishCall) is the business of the layer.

#ifndef SIM_TRANSPORT_SOCKETS_H_
#define SIM_TRANSPORT_SOCKETS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "sim/chance.h"
#include "sim/machines.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/sleepers.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "vsock/drop.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {

class TransportSockets : public SocketLayer {
 public:
  absl::StatusOr<vsock::SocketId> Open(Side side, const Scenario::Flow& flow,
                                       uint32_t port, bool sends) final;
  vsock::Address LocalAddress(SocketRef socket) const final;
  absl::Status Listen(SocketRef socket, uint32_t backlog) final;
  absl::StatusOr<vsock::SocketId> Accept(SocketRef listener) final;
  vsock::Address PeerAddress(SocketRef connection) const final;
  absl::Status Connect(SocketRef socket, vsock::Address peer,
                       vsock::Instant now) final;
  absl::Status ConnectStatus(SocketRef socket) const final;
  absl::Status Close(SocketRef socket, vsock::Instant now) final;
  vsock::SendResult BeginSend(SocketRef socket,
                              const vsock::Message& message) final;
  void EndSend(SocketRef socket) final;
  ReadPlan PlanRead(SocketRef socket, uint32_t max) const final;
  vsock::ReceiveResult Receive(SocketRef socket, std::byte* out,
                               uint32_t max) final;
  bool IsReady(SocketRef socket, uint32_t events) const final;
  bool Sleep(SocketRef socket, uint32_t events, Task& task,
             Chance& chance) final;
  vsock::Nanos Charge(SocketRef socket, const vsock::Work& work,
                      Chance& chance) final;

 protected:
  // `machines` outlives the layer.
  explicit TransportSockets(Machines& machines) : machines_(machines) {}

  // The transport of one side, which outlives this; before any call.
  void SetTransport(Side side, vsock::Transport& transport) {
    transports_[static_cast<size_t>(side)] = &transport;
  }
  bool has_transport(Side side) const {
    return transports_[static_cast<size_t>(side)] != nullptr;
  }
  vsock::Transport& transport(Side side) const {
    return *transports_[static_cast<size_t>(side)];
  }
  Machines& machines() const { return machines_; }

  // A send's destination as packets name it.
  virtual vsock::Address Named(vsock::Address destination) const {
    return destination;
  }

  // Makes those runnable for whom something came true.
  void WakeSleepers(Side side);

  // Books the losses of packets whose sender was on `side`; without it, on the
  // side that their source says.
  void BookLosses(vsock::LossLog& losses, absl::optional<Side> side);

  // Adds to the ledger of everything.
  void Count(const vsock::Work& work) { work_ += work; }

  // What is common of Counters(): work and credit updates.
  LayerCounters CommonCounters() const;

 private:
  Machines& machines_;
  std::array<vsock::Transport*, kSides> transports_ = {};
  std::array<Sleepers, kSides> sleepers_;
  vsock::Work work_;
};

}  // namespace sim

#endif  // SIM_TRANSPORT_SOCKETS_H_
