#include "sim/loopback_sockets.h"

#include <optional>
#include <utility>

#include "sim/transport_options.h"
#include "vsock/drop.h"
#include "vsock/loopback_properties.h"

namespace sim {

using vsock::Instant;
using vsock::Nanos;
using vsock::Transport;
using vsock::Work;

namespace {

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
        chance_(layer.machines().ChanceOf(NameOf(side))) {}

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
  const Scenario& scenario = machines().scenario();
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
  SetTransport(side, (*loopback)->transport());
  nodes_[static_cast<size_t>(side)].reset(
      new Node{.loopback = *std::move(loopback),
               .worker = std::make_unique<Worker>(*this, side),
               .list = Passage("loopback list")});
  return absl::OkStatus();
}

absl::Status LoopbackSockets::ShutDown(SocketRef socket, uint32_t hints) {
  return transport(socket.side).ShutDown(socket.id, hints);
}

Nanos LoopbackSockets::FinishCall(SocketRef socket, const Work& work,
                                  Chance& chance) {
  Work done = work;
  Node& here = node(socket.side);
  if (!here.loopback->send_list().empty() && here.worker->asleep()) {
    ++done.wakeups;
    machines().Wake(socket.side, *here.worker, chance);
  }
  return Settle(socket.side, Step::kApplicationCall, done, chance);
}

void LoopbackSockets::Inject(Side side, const vsock::VsockHdr& hdr,
                             Chance& chance) {
  Node& here = node(side);
  here.loopback->Inject(hdr);
  if (here.worker->asleep()) machines().Wake(side, *here.worker, chance);
}

Nanos LoopbackSockets::Settle(Side side, Step step, const Work& work,
                              Chance& chance) {
  Count(work);
  WakeSleepers(side);
  vsock::LossLog& losses = transport(side).losses();
  if (!losses.recent().empty()) BookLosses(losses, side);
  Node& here = node(side);
  const vsock::PacketQueue& list = here.loopback->send_list();
  here.list.Observe(machines().now(), list.taken() + list.size(), list.taken());
  return machines().costs().Price(step, work, chance.CostFactor());
}

LayerCounters LoopbackSockets::Counters() const {
  LayerCounters now = CommonCounters();
  for (const Side side : {Side::kGuest, Side::kHost}) {
    if (!has_transport(side)) continue;
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
    if (status.ok()) status = node->list.Check(machines().now());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace sim
