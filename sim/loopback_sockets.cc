#include "sim/loopback_sockets.h"

#include <optional>
#include <utility>

#include "sim/transport_options.h"
#include "vsock/drop.h"
#include "vsock/loopback_properties.h"

namespace sim {

using vsock::Address;
using vsock::Instant;
using vsock::Nanos;
using vsock::SocketId;
using vsock::Transport;
using vsock::Work;

namespace {

// Both context ids of the machine lead back to it.
Address Here(Address peer) { return {vsock::kCidLocal, peer.port}; }

const char* NameOf(Side side) {
  return side == Side::kGuest ? "guest_loopback_worker"
                              : "host_loopback_worker";
}

bool UsesLoopback(const Scenario& scenario, Side side) {
  for (const Scenario::Flow& flow : scenario.flow()) {
    const bool on_host = vsock::Cid(flow.from().cid()) == vsock::kCidHost;
    if (flow.transport() == Scenario::Flow::VSOCK_LOOPBACK &&
        on_host == (side == Side::kHost)) {
      return true;
    }
  }
  return false;
}

}  // namespace

// Takes a packet at the beginning of a burst, delivers it at the end.
class LoopbackSockets::Worker final : public Task {
 public:
  Worker(LoopbackSockets& layer, Side side)
      : layer_(layer),
        side_(side),
        chance_(layer.machines_.ChanceOf(NameOf(side))) {}

  std::optional<Nanos> Run(Instant now) override {
    Node& node = layer_.node(side_);
    Work work;
    if (node.loopback->in_hand() != nullptr) {
      work += node.loopback->Deliver(now);
    }
    if (const vsock::Packet* next = node.loopback->Take(work)) {
      ++work.packets;
      if (node.tap != nullptr) node.tap->push_back(next->hdr);
    }
    const Nanos price = layer_.Settle(side_, Step::kGuestWorker, work, chance_);
    const bool idle = work.packets == 0 && price == Nanos(0);
    return idle ? std::nullopt : std::optional<Nanos>(price);
  }

 private:
  LoopbackSockets& layer_;
  const Side side_;
  Chance chance_;
};

absl::StatusOr<std::unique_ptr<LoopbackSockets>> LoopbackSockets::Create(
    Machines& machines, Options options) {
  std::unique_ptr<LoopbackSockets> layer(new LoopbackSockets(machines));
  for (const Side side : {Side::kGuest, Side::kHost}) {
    if (!UsesLoopback(machines.scenario(), side)) continue;
    if (absl::Status s = layer->Add(side, options); !s.ok()) return s;
  }
  return layer;
}

LoopbackSockets::~LoopbackSockets() = default;

absl::Status LoopbackSockets::Add(Side side, const Options& options) {
  const Scenario& scenario = machines_.scenario();
  Transport::Options sockets =
      TransportOptions(scenario,
                       side == Side::kGuest ? scenario.guest().kernel()
                                            : scenario.host().kernel(),
                       vsock::kCidLocal);
  sockets.closing_resets_again = options.closing_resets_again;
  auto loopback = vsock::Loopback::Create({.transport = sockets,
                                           .payload = ModeOf(scenario),
                                           .payload_bytes = uint64_t{1} << 31});
  if (!loopback.ok()) return loopback.status();
  (*loopback)->transport().losses().Record();
  nodes_[static_cast<size_t>(side)].reset(
      new Node{.loopback = *std::move(loopback),
               .worker = std::make_unique<Worker>(*this, side),
               .sleepers = {},
               .list = Passage("loopback list")});
  return absl::OkStatus();
}

absl::StatusOr<SocketId> LoopbackSockets::Open(Side side,
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

Address LoopbackSockets::LocalAddress(SocketRef socket) const {
  return {vsock::kCidLocal, *transport(socket.side).Find(socket.id)->port};
}

absl::Status LoopbackSockets::Listen(SocketRef socket, uint32_t backlog) {
  return transport(socket.side).Listen(socket.id, backlog);
}

absl::StatusOr<SocketId> LoopbackSockets::Accept(SocketRef listener) {
  return transport(listener.side).Accept(listener.id);
}

Address LoopbackSockets::PeerAddress(SocketRef connection) const {
  return *transport(connection.side).Find(connection.id)->peer;
}

absl::Status LoopbackSockets::Connect(SocketRef socket, Address peer,
                                      Instant now) {
  return transport(socket.side).Connect(socket.id, Here(peer), now);
}

absl::Status LoopbackSockets::ConnectStatus(SocketRef socket) const {
  return transport(socket.side).ConnectStatus(socket.id);
}

absl::Status LoopbackSockets::ShutDown(SocketRef socket, uint32_t hints) {
  return transport(socket.side).ShutDown(socket.id, hints);
}

absl::Status LoopbackSockets::Close(SocketRef socket, Instant now) {
  return transport(socket.side).Close(socket.id, now);
}

vsock::SendResult LoopbackSockets::BeginSend(SocketRef socket,
                                             const vsock::Message& message) {
  vsock::Message here = message;
  if (here.to.has_value()) here.to = Here(*here.to);
  return transport(socket.side).BeginSend(socket.id, here);
}

void LoopbackSockets::EndSend(SocketRef socket) {
  transport(socket.side).EndSend(socket.id);
}

ReadPlan LoopbackSockets::PlanRead(SocketRef socket, uint32_t max) const {
  const uint32_t bytes = transport(socket.side).Readable(socket.id, max);
  return {bytes, {.bytes_copied = bytes, .syscalls = 1}};
}

vsock::ReceiveResult LoopbackSockets::Receive(SocketRef socket, std::byte* out,
                                              uint32_t max) {
  return transport(socket.side).Receive(socket.id, out, max);
}

bool LoopbackSockets::IsReady(SocketRef socket, uint32_t events) const {
  return transport(socket.side).IsReady(socket.id, events);
}

bool LoopbackSockets::Sleep(SocketRef socket, uint32_t events, Task& task,
                            Chance& chance) {
  if (transport(socket.side).WaitFor(socket.id, events)) return true;
  node(socket.side).sleepers.Set(socket.id, task, chance);
  return false;
}

Nanos LoopbackSockets::Charge(SocketRef, const Work& work, Chance& chance) {
  work_ += work;
  return machines_.costs().Price(Step::kApplicationCall, work,
                                 chance.CostFactor());
}

Nanos LoopbackSockets::FinishCall(SocketRef socket, const Work& work,
                                  Chance& chance) {
  Work done = work;
  Node& here = node(socket.side);
  if (!here.loopback->send_list().empty() && here.worker->asleep()) {
    ++done.wakeups;
    machines_.Wake(socket.side, *here.worker, chance);
  }
  return Settle(socket.side, Step::kApplicationCall, done, chance);
}

void LoopbackSockets::Inject(Side side, const vsock::VsockHdr& hdr,
                             Chance& chance) {
  Node& here = node(side);
  here.loopback->Inject(hdr);
  if (here.worker->asleep()) machines_.Wake(side, *here.worker, chance);
}

Nanos LoopbackSockets::Settle(Side side, Step step, const Work& work,
                              Chance& chance) {
  work_ += work;
  Node& here = node(side);
  transport(side).TakeWakes([&](const vsock::Wake& wake) {
    const Sleepers::Sleeper& sleeper = here.sleepers.Of(wake.socket);
    machines_.Wake(side, *sleeper.task, *sleeper.chance);
  });
  if (!transport(side).losses().recent().empty()) BookLosses(side);
  const vsock::PacketQueue& list = here.loopback->send_list();
  here.list.Observe(machines_.now(), list.taken() + list.size(), list.taken());
  return machines_.costs().Price(step, work, chance.CostFactor());
}

void LoopbackSockets::BookLosses(Side side) {
  vsock::LossLog& losses = transport(side).losses();
  for (const vsock::Loss& loss : losses.recent()) {
    const Origin* origin = FindOrigin(
        side, static_cast<Scenario::Flow::Type>(loss.type), loss.source.port);
    if (origin == nullptr) continue;
    origin->book->Lost(machines_.now(), loss.reason, loss.bytes);
  }
  losses.recent().clear();
}

LayerCounters LoopbackSockets::Counters() const {
  LayerCounters now;
  now.work = work_;
  for (const Side side : {Side::kGuest, Side::kHost}) {
    if (nodes_[static_cast<size_t>(side)] == nullptr) continue;
    now.credit_updates += transport(side).counters().sent[static_cast<size_t>(
        vsock::Op::kCreditUpdate)];
    const TaskUse& worker = node(side).worker->use();
    now.worker_wakeups += worker.wakeups - worker.wakeups_while_awake;
    now.laws_checked += 2;  // Little and balance of the list
    now.workers.push_back({.name = NameOf(side), .busy = worker.busy});
  }
  return now;
}

absl::Status LoopbackSockets::Check() {
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (node == nullptr) continue;
    absl::Status status = CheckLoopback(*node->loopback);
    if (status.ok()) status = node->list.Check(machines_.now());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace sim
