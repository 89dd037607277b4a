#include "sim/peers/udp_sockets.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/flow_buffers.h"
#include "virtqueue/check.h"
#include "vsock/connection.h"
#include "vsock/drop.h"

namespace sim {
namespace {

using vsock::DropReason;
using vsock::Instant;
using vsock::Nanos;
using vsock::SocketId;
using vsock::Work;

UdpStack::Options StackOptions(const Scenario& scenario, Side side) {
  const bool guest = side == Side::kGuest;
  const Scenario::Kernel& kernel =
      guest ? scenario.guest().kernel() : scenario.host().kernel();
  const vsock::Cid guest_cid(scenario.guest().cid());
  UdpStack::Options options;
  options.endpoint.cid = guest ? guest_cid : vsock::kCidHost;
  options.endpoint.send_buffer = {.max = kernel.wmem_max_bytes(),
                                  .initial = kernel.wmem_default_bytes(),
                                  .floor = vsock::kSendBufferFloor};
  options.endpoint.receive_buffer = {.max = kernel.rmem_max_bytes(),
                                     .initial = kernel.rmem_default_bytes(),
                                     .floor = vsock::kReceiveBufferFloor};
  options.endpoint.receive_test = DatagramEndpoint::ReceiveTest::kUpToLimit;
  options.peer = guest ? vsock::kCidHost : guest_cid;
  options.mtu = scenario.virtio_net().mtu();
  options.payload = scenario.payload() == Scenario::REAL
                        ? vsock::PayloadMode::kReal
                        : vsock::PayloadMode::kElided;
  return options;
}

Steering SteeringOf(const Scenario& scenario) {
  return scenario.virtio_net().steering() == Scenario::VirtioNet::FOUR_TUPLE
             ? Steering::kFourTuple
             : Steering::kTwoTupleForFragments;
}

Side Other(Side side) {
  return side == Side::kGuest ? Side::kHost : Side::kGuest;
}

absl::Status NoConnections() {
  return absl::UnimplementedError("EOPNOTSUPP: UDP flows are not connected");
}

// The next burst after a step, or sleep when the step cost nothing and left
// nothing to do.
std::optional<Nanos> Continue(bool more, Nanos price) {
  if (!more && price == Nanos(0)) return std::nullopt;
  return price;
}

}  // namespace

// The workers. Each makes one step of its pair at the end of each burst.

class UdpSockets::NapiWorker final : public Task {
 public:
  NapiWorker(UdpSockets& layer, uint32_t pair)
      : layer_(layer),
        pair_(pair),
        chance_(layer.machines_.ChanceOf(absl::StrCat("napi.", pair))) {}

  std::optional<Nanos> Run(Instant) override {
    Pair& pair = layer_.pairs_[pair_];
    NetEffects effects = pair.queues->driver().NapiStep();
    const bool more = effects.more;
    return Continue(more, layer_.Settle(Side::kGuest, Step::kNetNapi, pair,
                                        std::move(effects), chance_));
  }

 private:
  UdpSockets& layer_;
  const uint32_t pair_;
  Chance chance_;
};

class UdpSockets::VhostWorker final : public Task {
 public:
  VhostWorker(UdpSockets& layer, uint32_t pair)
      : layer_(layer),
        pair_(pair),
        chance_(layer.machines_.ChanceOf(absl::StrCat("vhost_net.", pair))) {}

  std::optional<Nanos> Run(Instant) override {
    Pair& pair = layer_.pairs_[pair_];
    NetEffects effects = pair.queues->device().Step();
    const bool more = effects.more;
    return Continue(more, layer_.Settle(Side::kHost, Step::kVhostNetWorker,
                                        pair, std::move(effects), chance_));
  }

 private:
  UdpSockets& layer_;
  const uint32_t pair_;
  Chance chance_;
};

absl::StatusOr<std::unique_ptr<UdpSockets>> UdpSockets::Create(
    Machines& machines) {
  const Scenario& scenario = machines.scenario();
  const uint32_t pairs = scenario.virtio_net().queue_pairs();
  absl::StatusOr<virtqueue::OwnedGuestMemory> memory =
      virtqueue::OwnedGuestMemory::Create(
          pairs * NetDriver::MemoryBytes(QueuePair::DriverOptions(scenario)));
  if (!memory.ok()) return memory.status();
  std::unique_ptr<UdpSockets> layer(
      new UdpSockets(machines, *std::move(memory)));
  for (uint32_t i = 0; i < pairs; ++i) {
    const absl::Status status = layer->AddPair(i);
    if (!status.ok()) return status;
  }
  return layer;
}

UdpSockets::UdpSockets(Machines& machines, virtqueue::OwnedGuestMemory memory)
    : machines_(machines),
      memory_(std::move(memory)),
      steering_(SteeringOf(machines.scenario())),
      machines_of_{Machine(StackOptions(machines.scenario(), Side::kGuest)),
                   Machine(StackOptions(machines.scenario(), Side::kHost))},
      ring_wait_(Instant(0)) {}

UdpSockets::~UdpSockets() = default;

absl::Status UdpSockets::AddPair(uint32_t index) {
  absl::StatusOr<std::unique_ptr<QueuePair>> queues =
      QueuePair::Create(machines_.scenario(), memory_,
                        machine(Side::kGuest).stack.sockets(), index);
  if (!queues.ok()) return queues.status();
  pairs_.push_back({.queues = *std::move(queues),
                    .napi = std::make_unique<NapiWorker>(*this, index),
                    .vhost = std::make_unique<VhostWorker>(*this, index)});
  return absl::OkStatus();
}

// Calls.

absl::StatusOr<SocketId> UdpSockets::Open(Side side, const Scenario::Flow& flow,
                                          uint32_t port, bool sends) {
  if (flow.type() != Scenario::Flow::DGRAM) return NoConnections();
  DatagramEndpoint& sockets = machine(side).stack.sockets();
  const SocketId id = sockets.Open();
  machine(side).pending.emplace_back();
  const std::optional<uint32_t> bytes =
      sends ? SendBufferOf(flow) : ReceiveBufferOf(flow);
  if (bytes.has_value()) {
    sends ? sockets.SetSendBuffer(id, *bytes)
          : sockets.SetReceiveBuffer(id, *bytes);
  }
  const absl::Status status = sockets.Bind(id, port);
  if (!status.ok()) return status;
  return id;
}

vsock::Address UdpSockets::LocalAddress(SocketRef socket) const {
  return machine(socket.side).stack.sockets().LocalAddress(socket.id);
}

absl::Status UdpSockets::Listen(SocketRef, uint32_t) { return NoConnections(); }

absl::StatusOr<SocketId> UdpSockets::Accept(SocketRef) {
  return NoConnections();
}

vsock::Address UdpSockets::PeerAddress(SocketRef) const {
  return {};  // of no connection
}

absl::Status UdpSockets::Connect(SocketRef, vsock::Address, Instant) {
  return NoConnections();
}

absl::Status UdpSockets::ConnectStatus(SocketRef) const {
  return NoConnections();
}

absl::Status UdpSockets::Close(SocketRef socket, Instant now) {
  const Side from = Other(socket.side);
  return machine(socket.side)
      .stack.sockets()
      .Close(socket.id, [&](const Datagram& datagram) {
        const Origin* origin =
            FindOrigin(from, Scenario::Flow::DGRAM, datagram.from.port);
        VSOCK_CHECK(origin != nullptr);  // every sender is registered
        origin->book->Lost(now, DropReason::kSocketClosed, datagram.bytes);
      });
}

vsock::SendResult UdpSockets::BeginSend(SocketRef socket,
                                        const vsock::Message& message) {
  UdpStack& stack = machine(socket.side).stack;
  Pending& out = pending(socket);
  vsock::SendResult result = stack.Send(socket.id, message, out.frames);
  if (out.frames.empty()) return result;
  out.pair = PairOf(stack.FlowTo(socket.id, message.to->port),
                    /*fragmented=*/out.frames.size() > 1, steering_,
                    static_cast<uint32_t>(pairs_.size()));
  return result;
}

void UdpSockets::EndSend(SocketRef socket) {
  VSOCK_CHECK(leaving_.frames.empty());
  std::swap(leaving_, pending(socket));
}

ReadPlan UdpSockets::PlanRead(SocketRef socket, uint32_t max) const {
  const uint32_t bytes =
      machine(socket.side).stack.sockets().Readable(socket.id, max);
  return {bytes, {.bytes_copied = bytes, .syscalls = 1}};
}

vsock::ReceiveResult UdpSockets::Receive(SocketRef socket, std::byte* out,
                                         uint32_t max) {
  return machine(socket.side).stack.sockets().Receive(socket.id, out, max);
}

bool UdpSockets::IsReady(SocketRef socket, uint32_t events) const {
  return machine(socket.side).stack.sockets().IsReady(socket.id, events);
}

bool UdpSockets::Sleep(SocketRef socket, uint32_t events, Task& task,
                       Chance& chance) {
  Machine& at = machine(socket.side);
  if (at.stack.sockets().WaitFor(socket.id, events)) return true;
  at.sleepers.Set(socket.id, task, chance);
  return false;
}

Nanos UdpSockets::Charge(SocketRef, const Work& work, Chance& chance) {
  work_ += work;
  return machines_.costs().Price(Step::kUdpCall, work, chance.CostFactor());
}

Nanos UdpSockets::FinishCall(SocketRef socket, const Work& work,
                             Chance& chance) {
  Pair& pair = pairs_[leaving_.pair];
  NetEffects sum;
  sum.work = work;
  machine(socket.side).frames_sent += leaving_.frames.size();
  for (NetFrame& frame : leaving_.frames) {
    const NetEffects effects = socket.side == Side::kGuest
                                   ? HandToDriver(pair, std::move(frame))
                                   : HandToTap(pair, std::move(frame), chance);
    sum.work += effects.work;
    sum.kick_tx |= effects.kick_tx;
  }
  leaving_.frames.clear();
  return Settle(socket.side, Step::kUdpCall, pair, std::move(sum), chance);
}

NetEffects UdpSockets::HandToDriver(Pair& pair, NetFrame frame) {
  NetEffects effects = pair.queues->driver().Transmit(std::move(frame));
  if (effects.dropped.has_value()) {
    OnDropped(Side::kGuest, *effects.dropped, "qdisc_full");
  }
  return effects;
}

// The host's sender is orphaned here, whatever becomes of the frame.
NetEffects UdpSockets::HandToTap(Pair& pair, NetFrame frame, Chance& chance) {
  NetEffects effects;
  machine(Side::kHost)
      .stack.sockets()
      .Release(frame.owner, std::exchange(frame.send_charge, 0));
  switch (pair.queues->device().Offer(frame)) {
    case NetDevice::OfferResult::kTaken:
      break;
    case NetDevice::OfferResult::kTakenRunWorker:
      effects.work.wakeups += 1;
      machines_.WakeAfter(Side::kHost, *pair.vhost, Delay::kWorkerWakeup,
                          chance);
      break;
    case NetDevice::OfferResult::kFull:
      OnDropped(Side::kHost, frame, "tap_queue_full");
      break;
  }
  return effects;
}

// What follows a step.

Nanos UdpSockets::Settle(Side side, Step step, Pair& pair, NetEffects effects,
                         Chance& chance) {
  Dispatch(pair, effects, chance);
  if (effects.arrived.has_value()) OnArrived(side, *effects.arrived);
  effects.stack.wakeups += WakeSleepers(side);
  Observe(pair);
  work_ += effects.work;
  work_ += effects.stack;
  const uint32_t factor = chance.CostFactor();
  const CostModel& costs = machines_.costs();
  return costs.Price(step, effects.work, factor) +
         costs.Price(Step::kUdpReceive, effects.stack, factor);
}

void UdpSockets::Dispatch(Pair& pair, const NetEffects& effects,
                          Chance& chance) {
  NetDevice& device = pair.queues->device();
  const bool tx_work = effects.kick_tx && device.OnTxKick();
  const bool rx_work = effects.kick_rx && device.OnRxKick();
  if (tx_work || rx_work) {
    machines_.WakeAfter(Side::kHost, *pair.vhost, Delay::kWorkerWakeup, chance);
  }
  if (effects.interrupt) {
    machines_.WakeAfter(Side::kGuest, *pair.napi, Delay::kGuestInterrupt,
                        chance);
  }
}

void UdpSockets::OnArrived(Side at, const NetFrame& frame) {
  const std::optional<ParsedFrame> parsed = ParseFrame(frame.kept, frame.bytes);
  VSOCK_CHECK(parsed.has_value());  // our own stacks wrote it
  ++machine(at).frames_arrived;
  const Side from = Other(at);
  DatagramLedger& ledger = machine(from).stack.ledger();
  const UdpStack::Outcome outcome =
      machine(at).stack.Receive(frame, machines_.now());
  const bool queued = outcome == UdpStack::Outcome::kQueued;
  if (queued || outcome == UdpStack::Outcome::kKept) {
    Book(from, ledger.OnArrived(parsed->id, queued), outcome);
  } else {
    Book(from, ledger.OnDropped(parsed->id), outcome);
  }
}

void UdpSockets::Book(Side from,
                      const std::optional<DatagramLedger::Loss>& loss,
                      UdpStack::Outcome outcome) {
  if (!loss.has_value()) return;
  const Origin* origin = FindOrigin(from, Scenario::Flow::DGRAM, loss->source);
  VSOCK_CHECK(origin != nullptr);  // every sender is registered
  const auto lost = [&](auto cause) {
    origin->book->Lost(machines_.now(), cause, loss->bytes);
  };
  switch (outcome) {
    case UdpStack::Outcome::kKept:
      return lost("reassembly_given_up");
    case UdpStack::Outcome::kReassemblyFull:
      return lost("reassembly_full");
    case UdpStack::Outcome::kNoSocket:
      return lost(DropReason::kNoSocket);
    case UdpStack::Outcome::kReceiveBufferFull:
      return lost(DropReason::kReceiveBufferFull);
    case UdpStack::Outcome::kMalformed:
      return lost(DropReason::kMalformed);
    case UdpStack::Outcome::kQueued:
      VSOCK_CHECK(false);
  }
}

void UdpSockets::OnDropped(Side from, const NetFrame& frame,
                           absl::string_view cause) {
  ++machine(from).frames_dropped;
  const std::optional<ParsedFrame> parsed = ParseFrame(frame.kept, frame.bytes);
  VSOCK_CHECK(parsed.has_value());  // our own stacks wrote it
  const auto loss = machine(from).stack.ledger().OnDropped(parsed->id);
  if (!loss.has_value()) return;
  const Origin* origin = FindOrigin(from, Scenario::Flow::DGRAM, loss->source);
  VSOCK_CHECK(origin != nullptr);  // every sender is registered
  origin->book->Lost(machines_.now(), cause, loss->bytes);
}

uint32_t UdpSockets::WakeSleepers(Side side) {
  Machine& at = machine(side);
  return at.stack.sockets().TakeWakes([&](SocketId id) {
    const Sleepers::Sleeper& sleeper = at.sleepers.Of(id);
    machines_.Wake(side, *sleeper.task, *sleeper.chance);
  });
}

void UdpSockets::Observe(Pair& pair) {
  pair.queues->Observe(machines_.now());
  const bool waits = pair.queues->driver().in_qdisc() > 0;
  if (std::exchange(pair.waits, waits) == waits) return;
  ring_wait_.Add(machines_.now(), waits ? 1 : -1);
}

Nanos UdpSockets::RingWait(Side side) const {
  if (side == Side::kHost) return Nanos(0);  // the tap holds up no sender
  return Nanos(ring_wait_.Area(machines_.now()));
}

LayerCounters UdpSockets::Counters() const {
  LayerCounters now;
  now.work = work_;
  const auto count = static_cast<uint32_t>(pairs_.size());
  LayerCounters::Workers napi = {.name = "napi", .servers = count};
  LayerCounters::Workers vhost = {.name = "vhost_net_workers",
                                  .servers = count};
  for (const Pair& pair : pairs_) {
    const TaskUse& worker = pair.vhost->use();
    now.worker_wakeups += worker.wakeups - worker.wakeups_while_awake;
    now.ring_messages +=
        pair.queues->device().tx_completed() + pair.queues->device().rx_added();
    napi.busy = napi.busy + pair.napi->use().busy;
    vhost.busy = vhost.busy + worker.busy;
  }
  now.laws_checked = 2 * 3 * count;  // Little and balance of three queues
  now.workers = {napi, vhost};
  return now;
}

// At the end.

absl::Status UdpSockets::Check() {
  for (const Side side : {Side::kGuest, Side::kHost}) {
    for (const absl::Status& status :
         {CheckDatagrams(side), CheckFrames(side), CheckCharges(side)}) {
      if (!status.ok()) return status;
    }
  }
  for (const Pair& pair : pairs_) {
    const absl::Status status = CheckPair(pair);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status UdpSockets::CheckDatagrams(Side from) const {
  const DatagramLedger& ledger = machine(from).stack.ledger();
  const DatagramLedger::Counters& count = ledger.counters();
  const uint64_t queued =
      machine(Other(from)).stack.sockets().counters().queued;
  if (count.queued == queued &&
      count.sent == queued + count.lost + ledger.live()) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(
      "UDP datagrams: ", count.sent, " sent, ", queued, " queued, ", count.lost,
      " lost, ", ledger.live(), " under way"));
}

absl::Status UdpSockets::CheckFrames(Side from) const {
  uint64_t on_their_way = 0;
  for (const Pair& pair : pairs_) {
    on_their_way += from == Side::kGuest ? pair.queues->FramesToHost()
                                         : pair.queues->FramesToGuest();
  }
  const uint64_t sent = machine(from).frames_sent;
  const uint64_t dropped = machine(from).frames_dropped;
  const uint64_t arrived = machine(Other(from)).frames_arrived;
  if (sent == dropped + arrived + on_their_way) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("UDP frames: ", sent, " sent, ", dropped, " dropped, ",
                   arrived, " arrived, ", on_their_way, " on their way"));
}

absl::Status UdpSockets::CheckCharges(Side side) const {
  uint64_t held = 0;
  for (const Pending& out : machine(side).pending) {
    for (const NetFrame& frame : out.frames) held += frame.send_charge;
  }
  if (side == Side::kGuest) {
    for (const Pair& pair : pairs_) held += pair.queues->driver().ChargeHeld();
  }
  const uint64_t charged = machine(side).stack.sockets().Charged();
  if (charged == held) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "UDP send buffers: ", charged, " bytes charged, frames hold ", held));
}

// A pair whose workers both sleep has nothing on its way: no notification was
// lost.
absl::Status UdpSockets::CheckPair(const Pair& pair) const {
  const absl::Status status = pair.queues->Check(machines_.now());
  if (!status.ok()) return status;
  const bool rests = pair.napi->asleep() && pair.vhost->asleep();
  if (!rests ||
      pair.queues->FramesToHost() + pair.queues->FramesToGuest() == 0) {
    return absl::OkStatus();
  }
  return absl::InternalError("UDP: frames wait for workers that sleep");
}

}  // namespace sim
