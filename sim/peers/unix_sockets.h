// unix_sockets.h: AF_UNIX sockets of either machine, in virtual time.
//
// Source: see the rules. Both ends of a flow are on one machine; a port stands
// for a path. A writer copies into socket buffers and puts them straight into
// the reader's queue; there is no worker between them. So all that can be
// waited for is the reader, or room for the writer.
// Left out: ancillary data, credentials, seqpacket, MSG_PEEK and MSG_WAITALL.

#ifndef SIM_PEERS_UNIX_SOCKETS_H_
#define SIM_PEERS_UNIX_SOCKETS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/chance.h"
#include "sim/cost_model.h"
#include "sim/machines.h"
#include "sim/peers/unix_rules.h"
#include "sim/peers/unix_socket.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/sleepers.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {

class UnixSockets final : public SocketLayer {
 public:
  // `machines` outlives the layer.
  UnixSockets(Machines& machines, std::unique_ptr<UnixRules> rules);

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
  LayerCounters Counters() const override;
  absl::Status Check() override;

 private:
  using Key = std::tuple<Side, Scenario::Flow::Type, vsock::Port>;

  UnixSocket& At(vsock::SocketId id) { return *sockets_[id.value() - 1]; }
  const UnixSocket& At(vsock::SocketId id) const {
    return *sockets_[id.value() - 1];
  }
  UnixSocket* FindBound(Side side, Scenario::Flow::Type type, vsock::Port port);
  UnixSocket& Add(Side side, Scenario::Flow::Type type, vsock::Port port);
  vsock::Port FreePort(Side side, Scenario::Flow::Type type);
  vsock::Address AddressOf(const UnixSocket& socket) const;
  Side SideOf(vsock::Cid cid) const {
    return cid == vsock::kCidHost ? Side::kHost : Side::kGuest;
  }

  UnixView View(const UnixSocket& writer, const UnixSocket& reader) const;
  vsock::SendResult BeginStream(UnixSocket& writer,
                                const vsock::Message& message);
  vsock::SendResult BeginDatagram(UnixSocket& writer,
                                  const vsock::Message& message);
  vsock::SendResult TakeInHand(UnixSocket& writer, UnixSocket& reader,
                               const UnixPiece& piece,
                               const vsock::Message& message);
  vsock::ReceiveResult ReceiveStream(UnixSocket& reader, std::byte* out,
                                     uint32_t max);
  vsock::ReceiveResult ReceiveDatagram(UnixSocket& reader, std::byte* out,
                                       uint32_t max);
  void Return(const UnixSocket& reader, vsock::SocketId writer,
              uint64_t charge);
  void OnQueueRoom(UnixSocket& reader);
  void Discard(UnixSocket& reader, vsock::Instant now);
  void HangUp(vsock::SocketId peer);
  bool IsWritable(const UnixSocket& socket) const;
  void Notify(UnixSocket& socket, uint32_t events);

  Machines& machines_;
  const std::unique_ptr<UnixRules> rules_;
  const vsock::PayloadMode payload_;
  std::vector<std::unique_ptr<UnixSocket>> sockets_;  // by id - 1
  std::map<Key, vsock::SocketId> bound_;
  uint32_t next_port_;
  std::vector<vsock::SocketId> to_wake_;
  Sleepers sleepers_;
  vsock::Work work_;
};

}  // namespace sim

#endif  // SIM_PEERS_UNIX_SOCKETS_H_
