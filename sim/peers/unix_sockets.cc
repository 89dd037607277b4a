#include "sim/peers/unix_sockets.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/flow_buffers.h"
#include "virtqueue/check.h"
#include "vsock/connection.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;
using vsock::SocketId;
using vsock::Work;

using State = UnixSocket::State;

constexpr uint32_t kFirstFreePort = uint32_t{1} << 31;

const Scenario::Kernel& KernelOf(const Scenario& scenario, Side side) {
  return side == Side::kGuest ? scenario.guest().kernel()
                              : scenario.host().kernel();
}

vsock::SendResult Failed(absl::Status status) {
  vsock::SendResult result;
  result.status = std::move(status);
  return result;
}

vsock::SendResult WouldBlock() {
  vsock::SendResult result;
  result.blocked = vsock::Blocked::kSendBuffer;
  return result;
}

}  // namespace

UnixSockets::UnixSockets(Machines& machines, std::unique_ptr<UnixRules> rules)
    : machines_(machines),
      rules_(std::move(rules)),
      payload_(machines.scenario().payload() == Scenario::REAL
                   ? vsock::PayloadMode::kReal
                   : vsock::PayloadMode::kElided),
      next_port_(kFirstFreePort) {}

// Life of a socket.

absl::StatusOr<SocketId> UnixSockets::Open(Side side,
                                           const Scenario::Flow& flow,
                                           uint32_t port, bool) {
  const vsock::Port at =
      port == 0 ? FreePort(side, flow.type()) : vsock::Port(port);
  if (FindBound(side, flow.type(), at) != nullptr) {
    return absl::AlreadyExistsError(
        absl::StrCat("EADDRINUSE: AF_UNIX port ", at.value()));
  }
  UnixSocket& socket = Add(side, flow.type(), at);
  const Scenario::Kernel& kernel = KernelOf(machines_.scenario(), side);
  socket.send_buffer =
      rules_->SendBuffer(flow.type(), SendBufferOf(flow), kernel);
  socket.receive_buffer =
      rules_->ReceiveBuffer(flow.type(), ReceiveBufferOf(flow), kernel);
  bound_[{side, flow.type(), at}] = socket.id;
  return socket.id;
}

UnixSocket& UnixSockets::Add(Side side, Scenario::Flow::Type type,
                             vsock::Port port) {
  sockets_.push_back(std::make_unique<UnixSocket>());
  UnixSocket& socket = *sockets_.back();
  socket.id = SocketId(sockets_.size());
  socket.side = side;
  socket.type = type;
  socket.port = port;
  return socket;
}

vsock::Port UnixSockets::FreePort(Side side, Scenario::Flow::Type type) {
  while (bound_.contains({side, type, vsock::Port(next_port_)})) ++next_port_;
  return vsock::Port(next_port_++);
}

UnixSocket* UnixSockets::FindBound(Side side, Scenario::Flow::Type type,
                                   vsock::Port port) {
  const auto it = bound_.find({side, type, port});
  return it == bound_.end() ? nullptr : &At(it->second);
}

vsock::Address UnixSockets::AddressOf(const UnixSocket& socket) const {
  return {socket.side == Side::kHost
              ? vsock::kCidHost
              : vsock::Cid(machines_.scenario().guest().cid()),
          socket.port};
}

vsock::Address UnixSockets::LocalAddress(SocketRef socket) const {
  return AddressOf(At(socket.id));
}

absl::Status UnixSockets::Listen(SocketRef socket, uint32_t backlog) {
  UnixSocket& listener = At(socket.id);
  if (!listener.is_stream()) {
    return absl::UnimplementedError("EOPNOTSUPP: datagram sockets listen not");
  }
  listener.state = State::kListening;
  listener.most_backlog = backlog;
  return absl::OkStatus();
}

// The server sets the accepted socket's buffers as it set the listener's.
absl::Status UnixSockets::Connect(SocketRef socket, vsock::Address peer,
                                  Instant) {
  UnixSocket& client = At(socket.id);
  UnixSocket* listener = FindBound(SideOf(peer.cid), client.type, peer.port);
  if (listener == nullptr || listener->state != State::kListening) {
    return absl::UnavailableError("ECONNREFUSED: nobody listens");
  }
  if (listener->backlog.size() > listener->most_backlog) {
    return absl::UnavailableError("EAGAIN: the backlog is full");
  }
  UnixSocket& server = Add(listener->side, listener->type, listener->port);
  server.send_buffer = listener->send_buffer;
  server.receive_buffer = listener->receive_buffer;
  server.state = client.state = State::kConnected;
  server.peer = client.id;
  client.peer = server.id;
  listener->backlog.push_back(server.id);
  Notify(*listener, vsock::kAcceptable);
  return absl::OkStatus();
}

absl::Status UnixSockets::ConnectStatus(SocketRef) const {
  return absl::OkStatus();
}

absl::StatusOr<SocketId> UnixSockets::Accept(SocketRef listener) {
  UnixSocket& socket = At(listener.id);
  if (socket.backlog.empty()) {
    return absl::UnavailableError("EAGAIN: nobody waits");
  }
  const SocketId child = socket.backlog.front();
  socket.backlog.pop_front();
  return child;
}

vsock::Address UnixSockets::PeerAddress(SocketRef connection) const {
  return AddressOf(At(At(connection.id).peer));
}

absl::Status UnixSockets::Close(SocketRef socket, Instant now) {
  UnixSocket& closing = At(socket.id);
  if (closing.state == State::kClosed) {
    return absl::InvalidArgumentError("EBADF: closed before");
  }
  if (closing.state == State::kConnected) HangUp(closing.peer);
  for (const SocketId child : closing.backlog) HangUp(At(child).peer);
  const auto it = bound_.find({closing.side, closing.type, closing.port});
  if (it != bound_.end() && it->second == closing.id) bound_.erase(it);
  closing.state = State::kClosed;
  Discard(closing, now);
  return absl::OkStatus();
}

void UnixSockets::HangUp(SocketId peer) {
  UnixSocket& socket = At(peer);
  if (socket.state == State::kConnected) socket.state = State::kHungUp;
  Notify(socket, vsock::kReadable | vsock::kWritable);
}

// What nobody will read goes back to who wrote it.
void UnixSockets::Discard(UnixSocket& reader, Instant now) {
  while (!reader.inbox.empty()) {
    const UnixInbox::Taken lost = reader.inbox.DropFirst(now);
    Return(reader, lost.writer,
           rules_->ReadsByPiece() || !reader.is_stream() ? lost.piece.charge
                                                         : lost.bytes);
  }
  while (!reader.waiters.empty()) OnQueueRoom(reader);
}

// Writing.

UnixView UnixSockets::View(const UnixSocket& writer,
                           const UnixSocket& reader) const {
  return {.send_buffer = writer.send_buffer,
          .charged = writer.charged,
          .receive_buffer = reader.receive_buffer,
          .queued = reader.inbox.count(),
          .queued_charge = reader.inbox.charge()};
}

vsock::SendResult UnixSockets::BeginSend(SocketRef socket,
                                         const vsock::Message& message) {
  UnixSocket& writer = At(socket.id);
  return writer.is_stream() ? BeginStream(writer, message)
                            : BeginDatagram(writer, message);
}

vsock::SendResult UnixSockets::BeginStream(UnixSocket& writer,
                                           const vsock::Message& message) {
  if (writer.state != State::kConnected) {
    return Failed(absl::FailedPreconditionError("EPIPE: nobody reads"));
  }
  UnixSocket& reader = At(writer.peer);
  const UnixPiece piece =
      rules_->StreamPiece(View(writer, reader), message.len);
  if (piece.bytes == 0) return WouldBlock();
  return TakeInHand(writer, reader, piece, message);
}

vsock::SendResult UnixSockets::BeginDatagram(UnixSocket& writer,
                                             const vsock::Message& message) {
  UnixSocket* reader =
      FindBound(SideOf(message.to->cid), writer.type, message.to->port);
  if (reader == nullptr) {
    return Failed(absl::UnavailableError("ECONNREFUSED: nobody is there"));
  }
  const UnixView view = View(writer, *reader);
  writer.waits_for = SocketId();
  switch (rules_->Admit(view, message.len)) {
    case UnixVerdict::kGo:
      return TakeInHand(writer, *reader, rules_->Datagram(message.len),
                        message);
    case UnixVerdict::kWait:
      if (!rules_->QueueHasRoom(view)) writer.waits_for = reader->id;
      return WouldBlock();
    case UnixVerdict::kTooBig:
      return Failed(absl::InvalidArgumentError(
          absl::StrCat("EMSGSIZE: ", message.len, " bytes, SO_SNDBUF is ",
                       writer.send_buffer)));
    case UnixVerdict::kFull:
      return Failed(
          absl::ResourceExhaustedError("ENOBUFS: the reader's queue is full"));
  }
  VSOCK_CHECK(false);
}

vsock::SendResult UnixSockets::TakeInHand(UnixSocket& writer,
                                          UnixSocket& reader,
                                          const UnixPiece& piece,
                                          const vsock::Message& message) {
  VSOCK_CHECK(!writer.in_hand.has_value());
  UnixBuffer& buffer = writer.in_hand.emplace();
  buffer.piece = piece;
  buffer.writer = writer.id;
  const uint32_t kept = vsock::KeptBytes(payload_, piece.bytes);
  buffer.kept.resize(kept);
  if (message.data != nullptr) {
    std::copy_n(message.data, kept, buffer.kept.begin());
  }
  writer.in_hand_for = reader.id;
  writer.charged += piece.charge;
  reader.inbox.Expect(piece);
  vsock::SendResult result;
  result.accepted = piece.bytes;
  result.work = {.bytes_copied = piece.bytes,
                 .descriptors = piece.page_runs,
                 .allocations = 1,
                 .syscalls = message.continued ? 0u : 1u};
  return result;
}

void UnixSockets::EndSend(SocketRef socket) {
  UnixSocket& writer = At(socket.id);
  UnixSocket& reader = At(writer.in_hand_for);
  UnixBuffer buffer = *std::exchange(writer.in_hand, std::nullopt);
  if (reader.state == State::kClosed) {
    reader.inbox.Forget(buffer.piece);
    return Return(reader, writer.id, buffer.piece.charge);
  }
  reader.inbox.Push(std::move(buffer), machines_.now());
  Notify(reader, vsock::kReadable);
}

// Reading.

ReadPlan UnixSockets::PlanRead(SocketRef socket, uint32_t max) const {
  const UnixSocket& reader = At(socket.id);
  const bool one = !reader.is_stream() || rules_->ReadsByPiece();
  const UnixInbox::Extent extent =
      one ? reader.inbox.FirstBuffer(max) : reader.inbox.Everything(max);
  return {.bytes = extent.bytes,
          .work = {.bytes_copied = extent.bytes,
                   .packets = extent.buffers,
                   .syscalls = 1},
          .goes_on = one && reader.is_stream()};
}

vsock::ReceiveResult UnixSockets::Receive(SocketRef socket, std::byte* out,
                                          uint32_t max) {
  UnixSocket& reader = At(socket.id);
  if (!reader.inbox.empty()) {
    return reader.is_stream() ? ReceiveStream(reader, out, max)
                              : ReceiveDatagram(reader, out, max);
  }
  vsock::ReceiveResult result;
  result.end_of_stream = reader.state == State::kHungUp;
  result.would_block = !result.end_of_stream;
  return result;
}

vsock::ReceiveResult UnixSockets::ReceiveStream(UnixSocket& reader,
                                                std::byte* out, uint32_t max) {
  vsock::ReceiveResult result;
  do {
    // Of elided payloads `out` holds no more than the first bytes.
    const bool keep =
        result.bytes == 0 || payload_ == vsock::PayloadMode::kReal;
    const UnixInbox::Taken taken =
        reader.inbox.Take(keep && out != nullptr ? out + result.bytes : nullptr,
                          max - result.bytes, machines_.now());
    result.bytes += taken.bytes;
    if (!rules_->ReadsByPiece()) {
      Return(reader, taken.writer, taken.bytes);
    } else if (taken.finished) {
      Return(reader, taken.writer, taken.piece.charge);
    }
  } while (!rules_->ReadsByPiece() && result.bytes < max &&
           !reader.inbox.empty());
  return result;
}

vsock::ReceiveResult UnixSockets::ReceiveDatagram(UnixSocket& reader,
                                                  std::byte* out,
                                                  uint32_t max) {
  UnixInbox::Taken taken = reader.inbox.Take(out, max, machines_.now());
  vsock::ReceiveResult result;
  result.bytes = taken.bytes;
  result.message_bytes = taken.piece.bytes;
  result.truncated = taken.bytes < taken.piece.bytes;
  result.from = AddressOf(At(taken.writer));
  if (!taken.finished) reader.inbox.DropFirst(machines_.now());
  Return(reader, taken.writer, taken.piece.charge);
  OnQueueRoom(reader);
  return result;
}

void UnixSockets::Return(const UnixSocket& reader, SocketId writer,
                         uint64_t charge) {
  UnixSocket& socket = At(writer);
  VSOCK_CHECK(charge <= socket.charged);
  socket.charged -= charge;
  // One that waits for a place in the queue is woken for that alone.
  if (socket.waits_for != SocketId()) return;
  if (rules_->WakesWriter(View(socket, reader))) {
    Notify(socket, vsock::kWritable);
  }
}

// Senders wait in a row for a place; each datagram that leaves wakes one.
void UnixSockets::OnQueueRoom(UnixSocket& reader) {
  if (reader.waiters.empty()) return;
  UnixSocket& next = At(reader.waiters.front());
  reader.waiters.pop_front();
  next.waits_for = SocketId();
  Notify(next, vsock::kWritable);
}

// Readiness.

bool UnixSockets::IsReady(SocketRef socket, uint32_t events) const {
  const UnixSocket& at = At(socket.id);
  const bool gone = at.state == State::kHungUp || at.state == State::kClosed;
  uint32_t holds = gone ? vsock::kReadable | vsock::kWritable : 0;
  if (!at.inbox.empty()) holds |= vsock::kReadable;
  if (!at.backlog.empty()) holds |= vsock::kAcceptable;
  if (at.state != State::kOpen) holds |= vsock::kConnected;
  if ((events & vsock::kWritable) != 0 && IsWritable(at)) {
    holds |= vsock::kWritable;
  }
  return (holds & events) != 0;
}

// Whether a send would be admitted that is long enough to wait at all.
bool UnixSockets::IsWritable(const UnixSocket& socket) const {
  if (socket.is_stream()) {
    return socket.state == State::kConnected &&
           rules_->StreamPiece(View(socket, At(socket.peer)), UINT32_MAX)
                   .bytes > 0;
  }
  if (socket.waits_for != SocketId()) {
    const UnixSocket& reader = At(socket.waits_for);
    return reader.state == State::kClosed ||
           rules_->Admit(View(socket, reader), 0) == UnixVerdict::kGo;
  }
  return rules_->Admit({.send_buffer = socket.send_buffer,
                        .charged = socket.charged,
                        .receive_buffer = socket.receive_buffer},
                       0) == UnixVerdict::kGo;
}

bool UnixSockets::Sleep(SocketRef socket, uint32_t events, Task& task,
                        Chance& chance) {
  if (IsReady(socket, events)) return true;
  UnixSocket& sleeper = At(socket.id);
  sleepers_.Set(sleeper.id, task, chance);
  sleeper.waits = events;
  if ((events & vsock::kWritable) != 0 && sleeper.waits_for != SocketId()) {
    At(sleeper.waits_for).waiters.push_back(sleeper.id);
  }
  return false;
}

void UnixSockets::Notify(UnixSocket& socket, uint32_t events) {
  if ((socket.waits & events) == 0) return;
  socket.waits = 0;
  to_wake_.push_back(socket.id);
}

// Prices.

Nanos UnixSockets::Charge(SocketRef, const Work& work, Chance& chance) {
  work_ += work;
  const Step step = work.packets > 0 ? Step::kUnixRead : Step::kUnixWrite;
  return machines_.costs().Price(step, work, chance.CostFactor());
}

Nanos UnixSockets::FinishCall(SocketRef socket, const Work& work,
                              Chance& chance) {
  Work all = work;
  for (const SocketId id : std::exchange(to_wake_, {})) {
    const Sleepers::Sleeper& sleeper = sleepers_.Of(id);
    machines_.Wake(At(id).side, *sleeper.task, *sleeper.chance);
    ++all.wakeups;
  }
  return Charge(socket, all, chance);
}

LayerCounters UnixSockets::Counters() const {
  LayerCounters now;
  now.work = work_;
  now.laws_checked = 3 * sockets_.size();  // bytes, charges, Little
  return now;
}

// Every charge is of something that is unread or in hand.
absl::Status UnixSockets::Check() {
  std::vector<uint64_t> owed(sockets_.size());
  for (const auto& reader : sockets_) {
    absl::Status status = reader->inbox.Check(machines_.now());
    if (!status.ok()) return status;
    const bool by_bytes = reader->is_stream() && !rules_->ReadsByPiece();
    for (const UnixBuffer& buffer : reader->inbox.queue()) {
      owed[buffer.writer.value() - 1] +=
          by_bytes ? buffer.left() : buffer.piece.charge;
    }
  }
  for (const auto& writer : sockets_) {
    uint64_t expected = owed[writer->id.value() - 1];
    if (writer->in_hand.has_value()) expected += writer->in_hand->piece.charge;
    if (expected == writer->charged) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("AF_UNIX socket ", writer->id.value(), ": charged ",
                     writer->charged, " for ", expected, " unread"));
  }
  return absl::OkStatus();
}

}  // namespace sim
