// vmci_sockets.h: VMCI datagrams between a guest and its host, in virtual time.
//
// Source: Linux net/vmw_vsock/vmci_transport.c and drivers/misc/vmw_vmci/.
//
//   guest -> host  flat copy, hypercall; the host delivers within the call, so
//                  the sender's processor is busy for all of it. The device's
//                  lock lets one guest processor in at a time; others spin.
//   host -> guest  flat copy, a second one into the queue of that guest; an
//                  interrupt, and the guest's tasklet takes one after the other
//
// Nothing is charged for sending: no sender ever waits. A full receive buffer
// drops in silence; the test comes before the charge. A full queue to the guest
// is VMCI_ERROR_NO_RESOURCES, which Linux turns into ENOBUFS; a port nobody is
// bound to is VMCI_ERROR_INVALID_RESOURCE, EHOSTUNREACH: counted as a loss, and
// the sender goes on.
// Left out: streams (queue pairs), privileges, the thread of the hypervisor
// that carries the queue to the guest, and the order of that queue, which
// Linux's list_add() makes last in, first out: here it is first in, first out.

#ifndef SIM_PEERS_VMCI_SOCKETS_H_
#define SIM_PEERS_VMCI_SOCKETS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/chance.h"
#include "sim/machines.h"
#include "sim/passage.h"
#include "sim/peers/datagram_endpoint.h"
#include "sim/peers/vmci_datagram.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/sleepers.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {

class VmciSockets final : public SocketLayer {
 public:
  // `machines` outlives the layer.
  explicit VmciSockets(Machines& machines);
  ~VmciSockets() override;

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
  // Errors: EMSGSIZE, ENOTCONN (no destination), ENOBUFS.
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
  LayerCounters Counters() const override;
  absl::Status Check() override;

  // Datagrams to the guest that it has not taken.
  uint32_t queued_for_guest() const {
    return static_cast<uint32_t>(queue_.size());
  }
  // Time that guest processors spun for the device's lock.
  vsock::Nanos spun() const { return spun_; }

 private:
  using Buffer = std::vector<std::byte>;

  // What a send call has admitted and copied.
  struct Send {
    Buffer buffer;
    uint32_t bytes = 0;  // on the wire, header included
    vsock::Work locked;  // of it, under the device's lock
  };

  class Tasklet;

  static uint64_t Key(SocketRef socket) {
    return socket.id.value() << 1 | static_cast<uint64_t>(socket.side);
  }
  DatagramEndpoint& endpoint(Side side) {
    return *endpoints_[static_cast<size_t>(side)];
  }
  const DatagramEndpoint& endpoint(Side side) const {
    return *endpoints_[static_cast<size_t>(side)];
  }
  bool HostQueueHolds(uint32_t bytes) const;
  vsock::Nanos Spin(vsock::Nanos before, vsock::Nanos locked);
  void Deliver(Side to, const Buffer& buffer);
  void Lose(vsock::Address from, const char* cause, uint32_t bytes);
  uint32_t WakeSleepers();
  void ObserveQueue();

  Machines& machines_;
  const vsock::Cid guest_cid_;
  std::array<std::unique_ptr<DatagramEndpoint>, kSides> endpoints_;
  std::array<Sleepers, kSides> sleepers_;
  absl::btree_map<uint64_t, Send> sends_;  // by socket
  std::deque<Send> queue_;                 // to the guest
  uint64_t queue_bytes_ = 0;               // and of sends under way
  uint32_t queue_taken_ = 0;               // places, of sends under way too
  std::unique_ptr<Task> tasklet_;
  bool tasklet_holds_ = false;
  Passage queue_law_;
  uint64_t dequeued_ = 0;
  vsock::Instant device_free_at_{0};
  vsock::Nanos spun_{0};
  uint64_t sent_ = 0;  // handed over
  uint64_t lost_ = 0;  // on arrival
  vsock::Work work_;
};

}  // namespace sim

#endif  // SIM_PEERS_VMCI_SOCKETS_H_
