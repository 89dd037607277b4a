#include "sim/peers/vmci_sockets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/cost_model.h"
#include "sim/flow_buffers.h"
#include "virtqueue/check.h"
#include "vsock/packet.h"
#include "vsock/truesize.h"

namespace sim {

using vsock::Address;
using vsock::Instant;
using vsock::Nanos;
using vsock::Port;
using vsock::SocketId;
using vsock::Work;

namespace {

// VMCI_RESERVED_RESOURCE_ID_MAX is 1023.
constexpr uint32_t kFirstFreeResource = 1024;
constexpr uint32_t kLastFreeResource = 0xfffffffe;

absl::Status NoStreams() {
  return absl::UnimplementedError("EOPNOTSUPP: VMCI is modelled for datagrams");
}

std::unique_ptr<DatagramEndpoint> MakeEndpoint(const Scenario::Kernel& kernel,
                                               vsock::Cid cid) {
  return std::make_unique<DatagramEndpoint>(DatagramEndpoint::Options{
      .cid = cid,
      .send_buffer = {.max = kernel.wmem_max_bytes(),
                      .initial = kernel.wmem_default_bytes(),
                      .floor = vsock::kSendBufferFloor},
      .receive_buffer = {.max = kernel.rmem_max_bytes(),
                         .initial = kernel.rmem_default_bytes(),
                         .floor = vsock::kReceiveBufferFloor},
      .receive_test = DatagramEndpoint::ReceiveTest::kBelowLimit,
      .first_ephemeral = kFirstFreeResource,
      .last_ephemeral = kLastFreeResource});
}

}  // namespace

// Takes a datagram at the beginning of a burst, delivers it at the end.
class VmciSockets::Tasklet final : public Task {
 public:
  explicit Tasklet(VmciSockets& layer)
      : layer_(layer), chance_(layer.machines_.ChanceOf("vmci_tasklet")) {}

  std::optional<Nanos> Run(Instant) override {
    if (layer_.tasklet_holds_) {
      layer_.tasklet_holds_ = false;
      layer_.Deliver(Side::kGuest, in_hand_);
    }
    Work work;
    work.wakeups = layer_.WakeSleepers();
    if (!layer_.queue_.empty()) Take(work);
    if (work.packets == 0 && work.wakeups == 0) return std::nullopt;
    layer_.work_ += work;
    return layer_.machines_.costs().Price(Step::kVmciTasklet, work,
                                          chance_.CostFactor());
  }

 private:
  // From the device's buffer into a socket buffer.
  void Take(Work& work) {
    Send next = std::move(layer_.queue_.front());
    layer_.queue_.pop_front();
    layer_.queue_bytes_ -= next.bytes;
    --layer_.queue_taken_;
    ++layer_.dequeued_;
    layer_.ObserveQueue();
    work.packets = work.allocations = 1;
    work.bytes_copied = next.bytes;
    in_hand_ = std::move(next.buffer);
    layer_.tasklet_holds_ = true;
  }

  VmciSockets& layer_;
  Chance chance_;
  Buffer in_hand_;
};

VmciSockets::VmciSockets(Machines& machines)
    : machines_(machines),
      guest_cid_(machines.scenario().guest().cid()),
      endpoints_{
          MakeEndpoint(machines.scenario().guest().kernel(), guest_cid_),
          MakeEndpoint(machines.scenario().host().kernel(), vsock::kCidHost)},
      tasklet_(std::make_unique<Tasklet>(*this)),
      queue_law_("vmci queue") {}

VmciSockets::~VmciSockets() = default;

absl::StatusOr<SocketId> VmciSockets::Open(Side side,
                                           const Scenario::Flow& flow,
                                           uint32_t port, bool sends) {
  if (flow.type() != Scenario::Flow::DGRAM) return NoStreams();
  const SocketId socket = endpoint(side).Open();
  if (const auto size = SendBufferOf(flow); size.has_value() && sends) {
    endpoint(side).SetSendBuffer(socket, *size);
  }
  if (const auto size = ReceiveBufferOf(flow); size.has_value() && !sends) {
    endpoint(side).SetReceiveBuffer(socket, *size);
  }
  absl::Status status = endpoint(side).Bind(socket, port);
  if (!status.ok()) return status;
  return socket;
}

Address VmciSockets::LocalAddress(SocketRef socket) const {
  return endpoint(socket.side).LocalAddress(socket.id);
}

absl::Status VmciSockets::Listen(SocketRef, uint32_t) { return NoStreams(); }

absl::StatusOr<SocketId> VmciSockets::Accept(SocketRef) { return NoStreams(); }

Address VmciSockets::PeerAddress(SocketRef) const {
  VSOCK_CHECK(false);  // there are no connections
}

absl::Status VmciSockets::Connect(SocketRef, Address, Instant) {
  return NoStreams();
}

absl::Status VmciSockets::ConnectStatus(SocketRef) const { return NoStreams(); }

absl::Status VmciSockets::Close(SocketRef socket, Instant) {
  return endpoint(socket.side)
      .Close(socket.id, [this](const Datagram& datagram) {
        Lose(datagram.from, "socket_closed", datagram.bytes);
      });
}

// Sending.

// VMCI_MAX_DATAGRAM_QUEUE_SIZE is tested with the new one counted in.
bool VmciSockets::HostQueueHolds(uint32_t bytes) const {
  const Scenario::Vmci& vmci = machines_.scenario().vmci();
  return queue_taken_ < vmci.host_queue() &&
         queue_bytes_ + bytes < vmci.host_queue_bytes();
}

vsock::SendResult VmciSockets::BeginSend(SocketRef socket,
                                         const vsock::Message& message) {
  const uint32_t bytes = kVmciHdrBytes + message.len;
  if (message.len > kVmciMostPayload) {
    return {.status = absl::InvalidArgumentError(
                "EMSGSIZE: a datagram holds at most 69608 bytes")};
  }
  if (!message.to.has_value()) {
    return {.status = absl::FailedPreconditionError(
                "ENOTCONN: the datagram has no destination")};
  }
  const bool to_host = socket.side == Side::kGuest;
  if (!to_host && !HostQueueHolds(bytes)) {
    return {.status = absl::ResourceExhaustedError(
                "ENOBUFS: VMCI_ERROR_NO_RESOURCES, the guest's queue is full")};
  }
  const uint32_t kept =
      vsock::KeptBytes(machines_.scenario().payload() == Scenario::REAL
                           ? vsock::PayloadMode::kReal
                           : vsock::PayloadMode::kElided,
                       message.len);
  Send send = {.buffer = MakeVmciDatagram(
                   LocalAddress(socket), *message.to, message.len,
                   {message.data, message.data == nullptr ? 0 : kept}),
               .bytes = bytes};
  vsock::SendResult result = {.accepted = message.len};
  result.work = {.bytes_copied = message.len, .allocations = 1, .syscalls = 1};
  if (to_host) {
    // The host copies it in, and once more into a socket buffer.
    send.locked = {.bytes_copied = uint64_t{2} * bytes,
                   .packets = 1,
                   .kicks = 1,
                   .allocations = 2};
    result.work += send.locked;
  } else {
    result.work += {.bytes_copied = bytes, .allocations = 1};
    ++queue_taken_;
    queue_bytes_ += bytes;
  }
  VSOCK_CHECK(sends_.emplace(Key(socket), std::move(send)).second);
  return result;
}

void VmciSockets::EndSend(SocketRef socket) {
  const auto found = sends_.find(Key(socket));
  VSOCK_CHECK(found != sends_.end());
  Send send = std::move(found->second);
  sends_.erase(found);
  ++sent_;
  if (socket.side == Side::kGuest) return Deliver(Side::kHost, send.buffer);
  queue_.push_back(std::move(send));
  ObserveQueue();
}

void VmciSockets::Deliver(Side to, const Buffer& buffer) {
  const absl::StatusOr<VmciView> view = ParseVmciDatagram(buffer);
  VSOCK_CHECK(view.ok());  // both sides are ours
  const DatagramEndpoint::Verdict verdict = endpoint(to).Deliver(
      view->to.port, {.from = view->from,
                      .bytes = view->bytes,
                      .charge = vsock::TrueSize(kVmciHdrBytes + view->bytes),
                      .kept = {view->kept.begin(), view->kept.end()}});
  if (verdict == DatagramEndpoint::Verdict::kQueued) return;
  ++lost_;
  Lose(view->from,
       verdict == DatagramEndpoint::Verdict::kNoSocket ? "no_socket"
                                                       : "receive_buffer_full",
       view->bytes);
}

void VmciSockets::Lose(Address from, const char* cause, uint32_t bytes) {
  const Side side = from.cid == vsock::kCidHost ? Side::kHost : Side::kGuest;
  const Origin* origin = FindOrigin(side, Scenario::Flow::DGRAM, from.port);
  if (origin != nullptr) origin->book->Lost(machines_.now(), cause, bytes);
}

void VmciSockets::ObserveQueue() {
  queue_law_.Observe(machines_.now(), dequeued_ + queue_.size(), dequeued_);
}

// Receiving.

ReadPlan VmciSockets::PlanRead(SocketRef socket, uint32_t max) const {
  const uint32_t bytes = endpoint(socket.side).Readable(socket.id, max);
  return {bytes, {.bytes_copied = bytes, .syscalls = 1}};
}

vsock::ReceiveResult VmciSockets::Receive(SocketRef socket, std::byte* out,
                                          uint32_t max) {
  return endpoint(socket.side).Receive(socket.id, out, max);
}

bool VmciSockets::IsReady(SocketRef socket, uint32_t events) const {
  return endpoint(socket.side).IsReady(socket.id, events);
}

bool VmciSockets::Sleep(SocketRef socket, uint32_t events, Task& task,
                        Chance& chance) {
  if (endpoint(socket.side).WaitFor(socket.id, events)) return true;
  sleepers_[static_cast<size_t>(socket.side)].Set(socket.id, task, chance);
  return false;
}

uint32_t VmciSockets::WakeSleepers() {
  uint32_t woken = 0;
  for (const Side side : {Side::kGuest, Side::kHost}) {
    woken += endpoint(side).TakeWakes([&](SocketId id) {
      const Sleepers::Sleeper& sleeper =
          sleepers_[static_cast<size_t>(side)].Of(id);
      machines_.Wake(side, *sleeper.task, *sleeper.chance);
    });
  }
  return woken;
}

// Costs.

Nanos VmciSockets::Charge(SocketRef socket, const Work& work, Chance& chance) {
  work_ += work;
  const uint32_t factor = chance.CostFactor();
  const CostModel& costs = machines_.costs();
  const Nanos price = costs.Price(Step::kVmciCall, work, factor);
  const auto send = sends_.find(Key(socket));
  if (send == sends_.end() || send->second.locked.kicks == 0) return price;
  const Nanos locked =
      costs.Price(Step::kVmciCall, send->second.locked, factor);
  return price + Spin(price - locked, locked);
}

// The device's lock (vmci_dev_spinlock) is asked for `before` from now and
// held for `locked`. How long the processor spins for it.
Nanos VmciSockets::Spin(Nanos before, Nanos locked) {
  const Instant asked = machines_.now() + before;
  const Instant start = std::max(asked, device_free_at_);
  device_free_at_ = start + locked;
  spun_ = spun_ + (start - asked);
  return start - asked;
}

Nanos VmciSockets::FinishCall(SocketRef socket, const Work& work,
                              Chance& chance) {
  Work done = work;
  done.wakeups += WakeSleepers();
  if (socket.side == Side::kHost && !queue_.empty() && tasklet_->asleep()) {
    done.interrupts = 1;
    machines_.WakeAfter(Side::kGuest, *tasklet_, Delay::kGuestInterrupt,
                        chance);
  }
  work_ += done;
  return machines_.costs().Price(Step::kVmciCall, done, chance.CostFactor());
}

LayerCounters VmciSockets::Counters() const {
  LayerCounters now;
  now.work = work_;
  const TaskUse& worker = tasklet_->use();
  now.worker_wakeups = worker.wakeups - worker.wakeups_while_awake;
  now.laws_checked = 2;  // Little and balance of the queue
  now.workers.push_back({.name = "vmci_tasklet", .busy = worker.busy});
  return now;
}

absl::Status VmciSockets::Check() {
  const uint64_t arrived = endpoint(Side::kGuest).counters().queued +
                           endpoint(Side::kHost).counters().queued;
  if (sent_ != arrived + lost_ + queue_.size() + tasklet_holds_) {
    return absl::FailedPreconditionError(absl::StrCat(
        "vmci: ", sent_, " datagrams sent, ", arrived, " arrived, ", lost_,
        " lost, ", queue_.size() + tasklet_holds_, " under way"));
  }
  return queue_law_.Check(machines_.now());
}

}  // namespace sim
