// udp_sockets.h: UDP over multiqueue virtio-net with vhost-net, in virtual
// time.
//
// The system that the mail of 14 April 2023 compares proposed datagrams with.
// Joins two UDP stacks and N queue pairs to processors and costs, as
// sim/vsock_sockets.h does for virtio-vsock.
//
//   guest processors: applications, and a napi worker for each queue pair
//   host processors:  applications, and a vhost-net worker for each pair, which
//                     also takes the guest's frames through the host's stack
//
//   guest to host   stack, (qdisc,) tx ring, worker, tap, stack, socket
//   host to guest   stack, tap queue, worker, rx ring, napi, stack, socket
//
// Invariants, checked at the end of every run: sent = queued + lost + under
// way; every frame is in one place; what a guest's sockets are charged is what
// its frames hold.

#ifndef SIM_PEERS_UDP_SOCKETS_H_
#define SIM_PEERS_UDP_SOCKETS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sim/chance.h"
#include "sim/cost_model.h"
#include "sim/level.h"
#include "sim/machines.h"
#include "sim/peers/datagram_endpoint.h"
#include "sim/peers/net_effects.h"
#include "sim/peers/queue_pair.h"
#include "sim/peers/steering.h"
#include "sim/peers/udp_stack.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/sleepers.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "virtqueue/owned_guest_memory.h"

namespace sim {

class UdpSockets final : public SocketLayer {
 public:
  // `machines` outlives the layer. Errors: what the model refuses to build.
  static absl::StatusOr<std::unique_ptr<UdpSockets>> Create(Machines& machines);
  ~UdpSockets() override;

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

  const QueuePair& pair(uint32_t index) const { return *pairs_[index].queues; }

 private:
  class NapiWorker;
  class VhostWorker;

  struct Pair {
    std::unique_ptr<QueuePair> queues;
    std::unique_ptr<Task> napi;
    std::unique_ptr<Task> vhost;
    bool waits = false;  // frames wait in its qdisc
  };
  struct Pending {  // admitted, not yet handed over
    std::vector<NetFrame> frames;
    uint32_t pair = 0;
  };
  struct Machine {
    explicit Machine(const UdpStack::Options& options) : stack(options) {}

    UdpStack stack;
    Sleepers sleepers;
    std::vector<Pending> pending;  // by socket
    uint64_t frames_sent = 0;
    uint64_t frames_dropped = 0;  // before they arrived
    uint64_t frames_arrived = 0;  // at this machine
  };

  UdpSockets(Machines& machines, virtqueue::OwnedGuestMemory memory);

  absl::Status AddPair(uint32_t index);
  Machine& machine(Side side) { return machines_of_[Index(side)]; }
  const Machine& machine(Side side) const { return machines_of_[Index(side)]; }
  static size_t Index(Side side) { return static_cast<size_t>(side); }
  Pending& pending(SocketRef socket) {
    return machine(socket.side).pending[socket.id.value() - 1];
  }

  // Both return what is owed, to be settled in the sender's name.
  NetEffects HandToDriver(Pair& pair, NetFrame frame);
  NetEffects HandToTap(Pair& pair, NetFrame frame, Chance& chance);
  vsock::Nanos Settle(Side side, Step step, Pair& pair, NetEffects effects,
                      Chance& chance);
  void Dispatch(Pair& pair, const NetEffects& effects, Chance& chance);
  void OnArrived(Side at, const NetFrame& frame);
  void OnDropped(Side from, const NetFrame& frame, absl::string_view cause);
  void Book(Side from, const std::optional<DatagramLedger::Loss>& loss,
            UdpStack::Outcome outcome);
  uint32_t WakeSleepers(Side side);
  void Observe(Pair& pair);
  absl::Status CheckDatagrams(Side from) const;
  absl::Status CheckFrames(Side from) const;
  absl::Status CheckCharges(Side side) const;
  absl::Status CheckPair(const Pair& pair) const;

  Machines& machines_;
  virtqueue::OwnedGuestMemory memory_;
  const Steering steering_;
  std::array<Machine, kSides> machines_of_;
  std::vector<Pair> pairs_;
  Pending leaving_;  // handed over by EndSend, to be sent by FinishCall
  Level ring_wait_;  // pairs whose qdisc holds frames
  vsock::Work work_;
};

}  // namespace sim

#endif  // SIM_PEERS_UDP_SOCKETS_H_
