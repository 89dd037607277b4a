#include "sim/transport_sockets.h"

#include "sim/transport_options.h"
#include "vsock/hdr.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;
using vsock::SocketId;
using vsock::Work;

Side SideOf(vsock::Cid cid) {
  return cid == vsock::kCidHost ? Side::kHost : Side::kGuest;
}

}  // namespace

absl::StatusOr<SocketId> TransportSockets::Open(Side side,
                                                const Scenario::Flow& flow,
                                                uint32_t port, bool sends) {
  absl::StatusOr<SocketId> socket = transport(side).Open(TypeOf(flow));
  if (!socket.ok()) return socket.status();
  absl::Status status = SetBuffers(transport(side), *socket, flow, sends);
  if (!status.ok()) return status;
  status = transport(side).Bind(
      *socket, port == 0 ? vsock::kPortAny : vsock::Port(port));
  if (!status.ok()) return status;
  return socket;
}

vsock::Address TransportSockets::LocalAddress(SocketRef socket) const {
  const vsock::Transport& sockets = transport(socket.side);
  return {sockets.cid(), *sockets.Find(socket.id)->port};
}

absl::Status TransportSockets::Listen(SocketRef socket, uint32_t backlog) {
  return transport(socket.side).Listen(socket.id, backlog);
}

absl::StatusOr<SocketId> TransportSockets::Accept(SocketRef listener) {
  return transport(listener.side).Accept(listener.id);
}

vsock::Address TransportSockets::PeerAddress(SocketRef connection) const {
  return *transport(connection.side).Find(connection.id)->peer;
}

absl::Status TransportSockets::Connect(SocketRef socket, vsock::Address peer,
                                       Instant now) {
  return transport(socket.side).Connect(socket.id, Named(peer), now);
}

absl::Status TransportSockets::ConnectStatus(SocketRef socket) const {
  return transport(socket.side).ConnectStatus(socket.id);
}

absl::Status TransportSockets::Close(SocketRef socket, Instant now) {
  return transport(socket.side).Close(socket.id, now);
}

vsock::SendResult TransportSockets::BeginSend(SocketRef socket,
                                              const vsock::Message& message) {
  vsock::Message named = message;
  if (named.to.has_value()) named.to = Named(*named.to);
  return transport(socket.side).BeginSend(socket.id, named);
}

void TransportSockets::EndSend(SocketRef socket) {
  transport(socket.side).EndSend(socket.id);
}

ReadPlan TransportSockets::PlanRead(SocketRef socket, uint32_t max) const {
  const uint32_t bytes = transport(socket.side).Readable(socket.id, max);
  return {bytes, {.bytes_copied = bytes, .syscalls = 1}};
}

vsock::ReceiveResult TransportSockets::Receive(SocketRef socket, std::byte* out,
                                               uint32_t max) {
  return transport(socket.side).Receive(socket.id, out, max);
}

bool TransportSockets::IsReady(SocketRef socket, uint32_t events) const {
  return transport(socket.side).IsReady(socket.id, events);
}

bool TransportSockets::Sleep(SocketRef socket, uint32_t events, Task& task,
                             Chance& chance) {
  if (transport(socket.side).WaitFor(socket.id, events)) return true;
  sleepers_[static_cast<size_t>(socket.side)].Set(socket.id, task, chance);
  return false;
}

Nanos TransportSockets::Charge(SocketRef, const Work& work, Chance& chance) {
  work_ += work;
  return machines_.costs().Price(Step::kApplicationCall, work,
                                 chance.CostFactor());
}

void TransportSockets::WakeSleepers(Side side) {
  transport(side).TakeWakes([&](const vsock::Wake& wake) {
    const Sleepers::Sleeper& sleeper =
        sleepers_[static_cast<size_t>(side)].Of(wake.socket);
    machines_.Wake(side, *sleeper.task, *sleeper.chance);
  });
}

void TransportSockets::BookLosses(vsock::LossLog& losses,
                                  absl::optional<Side> side) {
  for (const vsock::Loss& loss : losses.recent()) {
    const Origin* origin = FindOrigin(
        side.value_or(SideOf(loss.source.cid)),
        static_cast<Scenario::Flow::Type>(loss.type), loss.source.port);
    if (origin == nullptr) continue;
    origin->book->Lost(machines_.now(), loss.reason, loss.bytes);
  }
  losses.recent().clear();
}

LayerCounters TransportSockets::CommonCounters() const {
  LayerCounters now;
  now.work = work_;
  for (const vsock::Transport* transport : transports_) {
    if (transport == nullptr) continue;
    now.credit_updates +=
        transport->counters()
            .sent[static_cast<size_t>(vsock::Op::kCreditUpdate)];
  }
  return now;
}

}  // namespace sim
