// loopback_sockets.h: AF_VSOCK within one machine, in virtual time.
//
// Source: Linux net/vmw_vsock/vsock_loopback.c: no rings and no device; what is
// sent joins one list, and one kernel worker takes it off and does the receive
// work of each packet, for every socket of the machine. The guest has a
// loopback and the host has one; they share nothing but the run.
//
//   call -> list -> worker: tap, receive work, wake-up -> call
//
// Whatever context id a flow names for its machine, packets carry 1 both ways,
// as in a capture.
// Left out: the lock of a socket, for which the worker may have to wait.

#ifndef SIM_LOOPBACK_SOCKETS_H_
#define SIM_LOOPBACK_SOCKETS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/chance.h"
#include "sim/cost_model.h"
#include "sim/machines.h"
#include "sim/passage.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "sim/transport_sockets.h"
#include "vsock/hdr.h"
#include "vsock/loopback.h"
#include "vsock/packet.h"
#include "vsock/socket.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {

class LoopbackSockets final : public TransportSockets {
 public:
  struct Options {
    // vsock/transport.h: what Linux 6.1 does beyond the rules.
    bool closing_resets_again = false;
  };

  // `machines` outlives the layer. Errors: what the model refuses to build.
  static absl::StatusOr<std::unique_ptr<LoopbackSockets>> Create(
      Machines& machines, Options options);
  static absl::StatusOr<std::unique_ptr<LoopbackSockets>> Create(
      Machines& machines) {
    return Create(machines, Options());
  }
  ~LoopbackSockets() override;

  absl::Status ShutDown(SocketRef socket, uint32_t hints);
  vsock::Nanos FinishCall(SocketRef socket, const vsock::Work& work,
                          Chance& chance) override;
  LayerCounters Counters() const override;
  absl::Status Check() override;

  // From now on the header of each packet of that side is added to `tap` when
  // the worker takes it, which is where a vsockmon interface sees it.
  void Tap(Side side, std::vector<vsock::VsockHdr>& tap) {
    node(side).tap = &tap;
  }
  const vsock::Socket* Find(SocketRef socket) const {
    return transport(socket.side).Find(socket.id);
  }
  // Hands the worker a packet that no socket of the model sends.
  void Inject(Side side, const vsock::VsockHdr& hdr, Chance& chance);

 private:
  class Worker;
  struct Node {
    std::unique_ptr<vsock::Loopback> loopback;
    std::unique_ptr<Task> worker;
    Passage list;
    std::vector<vsock::VsockHdr>* tap = nullptr;
  };

  explicit LoopbackSockets(Machines& machines) : TransportSockets(machines) {}

  // Both context ids of the machine lead back to it.
  vsock::Address Named(vsock::Address destination) const override {
    return {vsock::kCidLocal, destination.port};
  }

  absl::Status Add(Side side, const Options& options);
  Node& node(Side side) const { return *nodes_[static_cast<size_t>(side)]; }
  vsock::Nanos Settle(Side side, Step step, const vsock::Work& work,
                      Chance& chance);

  std::array<std::unique_ptr<Node>, kSides> nodes_;  // of sides that have flows
};

}  // namespace sim

#endif  // SIM_LOOPBACK_SOCKETS_H_
