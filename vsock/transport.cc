#include "vsock/transport.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"
#include "vsock/socket_error.h"

namespace vsock {
namespace {

absl::Status NoSuchSocket() { return BadSocket("no such socket"); }

absl::Status ErrorStatus(Connection::Error error) {
  switch (error) {
    case Connection::Error::kNone:
      return absl::OkStatus();
    case Connection::Error::kReset:
      return ConnectionReset("the peer refused the connection");
    case Connection::Error::kProtocol:
      return ProtocolError("5.10.6.6: neither RESPONSE nor RST to a REQUEST");
    case Connection::Error::kNoBuffers:
      return NoBuffers("5.10.6.3: the peer sent beyond its credit");
    case Connection::Error::kTimedOut:
      return TimedOut("no answer from the peer");
  }
  return absl::OkStatus();
}

SendResult Failed(absl::Status status) {
  SendResult result;
  result.status = std::move(status);
  result.work.syscalls = 1;
  return result;
}

}  // namespace

Transport::Transport(const Options& options, PacketPool& pool,
                     const Router& router, DropPolicy& drop_policy)
    : options_(options),
      pool_(pool),
      router_(router),
      drop_policy_(drop_policy) {}

// Null for a socket that its user has closed, though it may live on.
Socket* Transport::FindOpen(SocketId id) {
  Socket* socket = table_.Find(id);
  return socket == nullptr || socket->user_closed ? nullptr : socket;
}

// Life of a socket.

absl::StatusOr<SocketId> Transport::Open(Type type) {
  if (type == Type::kSeqpacket || !options_.features.Allow(type)) {
    return InvalidCall("5.10.3: no such socket type was negotiated");
  }
  Socket& socket = table_.Add(type);
  socket.buffer_size = options_.stream_buffer;
  if (type == Type::kDgram) {
    socket.datagram.emplace(DatagramPart{
        .send_buffer = SendBuffer(options_.datagram_send_buffer.initial),
        .receive_queue =
            DatagramQueue(options_.datagram_receive_buffer.initial)});
  }
  return socket.id;
}

absl::Status Transport::Bind(SocketId id, Port port) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (socket->port.has_value()) return InvalidCall("the socket is bound");
  return table_.Bind(*socket, port);
}

absl::Status Transport::Listen(SocketId id, uint32_t backlog) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (socket->type != Type::kStream || socket->connection.has_value() ||
      !socket->port.has_value()) {
    return InvalidCall("only a bound, unconnected stream socket can listen");
  }
  if (socket->listener.has_value()) {
    socket->listener->backlog = backlog;
  } else {
    socket->listener.emplace(Listener{backlog, {}});
  }
  return absl::OkStatus();
}

absl::Status Transport::Connect(SocketId id, Address peer, Instant now) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (peer.cid == options_.cid || router_.Route(peer.cid) == nullptr) {
    return NoDevice("nothing leads to that context id");
  }
  if (!socket->port.has_value()) {
    if (absl::Status s = table_.Bind(*socket, kPortAny); !s.ok()) return s;
    socket->auto_bound = true;
  }
  if (socket->type == Type::kDgram) {
    socket->peer = peer;
    return absl::OkStatus();
  }
  if (socket->listener.has_value()) return InvalidCall("the socket listens");
  const bool retry = socket->connection.has_value() &&
                     socket->connection->error() != Connection::Error::kNone;
  if (socket->connection.has_value() && !retry) {
    return IsConnected("the socket has a connection");
  }
  if (absl::Status s = table_.Connect(*socket, *socket->port, peer); !s.ok()) {
    return s;
  }
  socket->connection.emplace(Connection::State::kConnecting,
                             socket->buffer_size.BufAlloc(),
                             options_.receive_limit);
  Emit(*socket, Op::kRequest);
  SetDeadline(*socket, now + options_.connect_timeout);
  return absl::OkStatus();
}

absl::Status Transport::ConnectStatus(SocketId id) const {
  const Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (!socket->connection.has_value()) return NotConnected("never connected");
  if (socket->connection->state() == Connection::State::kConnecting) {
    return WouldBlock("the handshake is under way");
  }
  return ErrorStatus(socket->connection->error());
}

absl::StatusOr<SocketId> Transport::Accept(SocketId id) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (!socket->listener.has_value()) return InvalidCall("not a listener");
  if (socket->listener->queue.empty()) return WouldBlock("no connection waits");
  const SocketId child = socket->listener->queue.front();
  socket->listener->queue.pop_front();
  table_.Find(child)->accepted_from = SocketId();
  return child;
}

absl::Status Transport::ShutDown(SocketId id, uint32_t hints) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if ((hints & ~kShutdownBoth) != 0 || hints == 0) {
    return InvalidCall("no such direction");
  }
  if (socket->datagram.has_value()) {
    if (!socket->peer.has_value()) return NotConnected("no default peer");
    socket->datagram->shutdown |= hints;
    WakeUp(*socket, kReadable | kWritable);
    return absl::OkStatus();
  }
  if (!socket->connection.has_value() ||
      socket->connection->state() != Connection::State::kEstablished) {
    return NotConnected("no open connection");
  }
  EndSend(id);  // what was admitted before goes before
  const Op op = socket->connection->ShutDown(hints);
  Emit(*socket, op, op == Op::kRst ? 0 : socket->connection->shutdown());
  SettleClosed(*socket);
  WakeUp(*socket, kReadable | kWritable);
  return absl::OkStatus();
}

absl::Status Transport::Close(SocketId id, Instant now) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  socket->user_closed = true;
  socket->waiting = 0;
  DropInHand(*socket);
  if (socket->datagram.has_value()) {
    CloseDatagram(*socket);
  } else {
    CloseStream(*socket, now);
  }
  return absl::OkStatus();
}

void Transport::CloseStream(Socket& socket, Instant now) {
  table_.Unbind(socket);
  if (socket.listener.has_value()) {
    for (const SocketId child_id : socket.listener->queue) {
      Socket* child = table_.Find(child_id);
      child->user_closed = true;
      AnswerClose(*child, child->connection->Close(), now);
    }
    socket.listener.reset();
  }
  if (socket.connection.has_value()) {
    AnswerClose(socket, socket.connection->Close(), now);
  } else {
    table_.Remove(socket.id);
  }
}

void Transport::AnswerClose(Socket& socket, Op op, Instant now) {
  if (op != Op::kInvalid) {
    const uint32_t hints = op == Op::kShutdown ? kShutdownBoth : 0;
    Emit(socket, op, hints);
  }
  if (socket.connection->state() == Connection::State::kClosing) {
    SetDeadline(socket, now + options_.close_timeout);
  }
  SettleClosed(socket);
}

// Frees the flow of a closed connection, and the socket once nobody uses it.
void Transport::SettleClosed(Socket& socket) {
  if (socket.connection->state() != Connection::State::kClosed) return;
  ClearDeadline(socket);
  table_.Disconnect(socket);
  if (socket.user_closed) table_.Remove(socket.id);
}

void Transport::CloseDatagram(Socket& socket) {
  table_.Unbind(socket);
  socket.port.reset();
  while (PacketPtr packet = socket.datagram->receive_queue.Take()) {
    LoseDatagram(DropReason::kSocketClosed, packet->hdr);
  }
  if (socket.datagram->send_buffer.charged() == 0) table_.Remove(socket.id);
}

void Transport::DropInHand(Socket& socket) {
  if (socket.in_hand == nullptr) return;
  if (socket.datagram.has_value()) {
    losses_.Add(DropReason::kSocketClosed, socket.in_hand->hdr);
    socket.datagram->send_buffer.Release(socket.in_hand->charge);
  } else {
    socket.connection->credit().Return(socket.in_hand->hdr.len);
  }
  socket.in_hand.reset();
}

void Transport::Abort() {
  std::vector<SocketId> all;
  table_.ForEach([&](Socket& socket) { all.push_back(socket.id); });
  for (const SocketId id : all) {
    Socket* socket = table_.Find(id);
    ClearDeadline(*socket);
    table_.Unbind(*socket);
    table_.Disconnect(*socket);
    table_.Remove(id);
  }
  wakes_.clear();
}

// Sending.

SendResult Transport::Send(SocketId id, const Message& message) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return Failed(NoSuchSocket());
  SendResult result = BeginSend(*socket, message);
  if (socket->in_hand != nullptr) EndSend(*socket);
  return result;
}

SendResult Transport::BeginSend(SocketId id, const Message& message) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return Failed(NoSuchSocket());
  return BeginSend(*socket, message);
}

SendResult Transport::BeginSend(Socket& socket, const Message& message) {
  VSOCK_CHECK(socket.in_hand == nullptr);  // one send at a time per socket
  last_touched_ = socket.id;
  SendResult result = socket.datagram.has_value()
                          ? BeginDatagramSend(socket, message)
                          : BeginStreamSend(socket, message);
  result.work.syscalls = message.continued ? 0 : 1;
  if (socket.in_hand == nullptr) return result;
  Packet& packet = *socket.in_hand;
  packet.hdr.set_source({options_.cid, *socket.port});
  packet.owner = socket.id;
  if (message.data != nullptr) {
    std::memcpy(packet.data, message.data, pool_.Kept(result.accepted));
  } else {
    std::memset(packet.data, 0, pool_.Kept(result.accepted));
  }
  result.work.bytes_copied += result.accepted;
  result.work.allocations += 1;
  return result;
}

SendResult Transport::BeginStreamSend(Socket& socket, const Message& message) {
  if (!socket.connection.has_value() ||
      socket.connection->state() == Connection::State::kConnecting) {
    return Failed(NotConnected("the stream is not open"));
  }
  if (message.to.has_value()) return Failed(IsConnected("address on a stream"));
  if (socket.connection->Broken()) {
    const absl::Status error = ErrorStatus(socket.connection->error());
    return Failed(error.ok() ? BrokenPipe("this direction is shut") : error);
  }
  SendResult result;
  if (message.len == 0) return result;
  Credit& credit = socket.connection->credit();
  result.accepted = credit.Take(std::min(message.len, kMaxPayload));
  if (result.accepted == 0) {
    result.blocked = Blocked::kCredit;
    return result;
  }
  socket.in_hand = pool_.Allocate(result.accepted);
  if (socket.in_hand == nullptr) {
    credit.Return(result.accepted);
    return Failed(NoBuffers("no memory for the payload"));
  }
  socket.in_hand->hdr.set(Type::kStream, Op::kRw);
  socket.in_hand->hdr.set_destination(*socket.peer);
  return result;
}

SendResult Transport::BeginDatagramSend(Socket& socket,
                                        const Message& message) {
  if (message.len > kMaxPayload) {
    return Failed(MessageTooLong("a datagram holds at most 65536 bytes"));
  }
  if ((socket.datagram->shutdown & kShutdownSend) != 0) {
    return Failed(BrokenPipe("this direction is shut"));
  }
  absl::StatusOr<Address> to = Destination(socket, message);
  if (!to.ok()) return Failed(to.status());
  if (!socket.port.has_value()) {
    if (absl::Status s = table_.Bind(socket, kPortAny); !s.ok()) {
      return Failed(std::move(s));
    }
    socket.auto_bound = true;
  }
  SendResult result;
  SendBuffer& buffer = socket.datagram->send_buffer;
  if (!buffer.HasRoom()) {
    result.blocked = Blocked::kSendBuffer;
    return result;
  }
  socket.in_hand = pool_.Allocate(message.len);
  if (socket.in_hand == nullptr) {
    return Failed(NoBuffers("no memory for the payload"));
  }
  const uint32_t charge = ChargeFor(options_.proposal.send_charge, message.len);
  buffer.Charge(charge);
  socket.in_hand->charge = charge;
  socket.in_hand->hdr.set(Type::kDgram, Op::kRw);
  socket.in_hand->hdr.set_destination(*to);
  result.accepted = message.len;
  return result;
}

absl::StatusOr<Address> Transport::Destination(const Socket& socket,
                                               const Message& message) const {
  const std::optional<Address>& to =
      message.to.has_value() ? message.to : socket.peer;
  if (!to.has_value()) return NotConnected("the datagram has no destination");
  if (to->cid == options_.cid || router_.Route(to->cid) == nullptr) {
    return NoDevice("nothing leads to that context id");
  }
  return *to;
}

void Transport::EndSend(SocketId id) {
  Socket* socket = table_.Find(id);
  if (socket != nullptr && socket->in_hand != nullptr) EndSend(*socket);
}

void Transport::EndSend(Socket& socket) {
  Packet& packet = *socket.in_hand;
  if (!socket.datagram.has_value()) {
    if (socket.connection->state() != Connection::State::kEstablished) {
      return DropInHand(socket);  // it ended between the two halves
    }
    socket.connection->credit().Stamp(packet.hdr);
  }
  ++socket.counters.sent_messages;
  socket.counters.sent_bytes += packet.hdr.len;
  Enqueue(std::move(socket.in_hand));
}

Work Transport::OnSent(const Packet& packet) {
  if (packet.owner == SocketId()) return {};
  Socket* socket = table_.Find(packet.owner);
  if (socket == nullptr) return {};
  if (packet.hdr.is(Op::kCreditUpdate)) socket->answer_queued = false;
  if (!socket->datagram.has_value()) return {};
  SendBuffer& buffer = socket->datagram->send_buffer;
  buffer.Release(packet.charge);
  last_touched_ = socket->id;
  if (socket->user_closed) {
    if (buffer.charged() == 0) table_.Remove(socket->id);
    return {};
  }
  const size_t before = wakes_.size();
  if (buffer.WakesWriter()) WakeUp(*socket, kWritable);
  Work work;
  work.wakeups = static_cast<uint32_t>(wakes_.size() - before);
  return work;
}

// Receiving.

ReceiveResult Transport::Receive(SocketId id, std::byte* out, uint32_t max) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) {
    ReceiveResult result;
    result.status = NoSuchSocket();
    result.work.syscalls = 1;
    return result;
  }
  last_touched_ = socket->id;
  return socket->datagram.has_value() ? ReceiveDatagram(*socket, out, max)
                                      : ReceiveStream(*socket, out, max);
}

ReceiveResult Transport::ReceiveStream(Socket& socket, std::byte* out,
                                       uint32_t max) {
  ReceiveResult result;
  result.work.syscalls = 1;
  if (!socket.connection.has_value() ||
      socket.connection->state() == Connection::State::kConnecting) {
    result.status = NotConnected("the stream is not open");
    return result;
  }
  Connection& connection = *socket.connection;
  result.from = *socket.peer;
  if ((connection.shutdown() & kShutdownReceive) == 0) {
    result.bytes = connection.Read(out, max);
  }
  if (result.bytes == 0 && max > 0) {
    result.status = ErrorStatus(connection.error());
    result.end_of_stream = connection.AtEnd() && result.status.ok();
    result.would_block = !connection.AtEnd();
    return result;
  }
  ++counters_.reads;
  ++socket.counters.received_messages;
  socket.counters.received_bytes += result.bytes;
  result.work.bytes_copied = result.bytes;
  if (connection.state() == Connection::State::kEstablished &&
      connection.credit().UpdateDue(socket.low_water)) {
    Emit(socket, Op::kCreditUpdate);
  }
  return result;
}

ReceiveResult Transport::ReceiveDatagram(Socket& socket, std::byte* out,
                                         uint32_t max) {
  ReceiveResult result;
  result.work.syscalls = 1;
  PacketPtr packet = socket.datagram->receive_queue.Take();
  if (packet == nullptr) {
    result.end_of_stream = (socket.datagram->shutdown & kShutdownReceive) != 0;
    result.would_block = !result.end_of_stream;
    return result;
  }
  result.message_bytes = packet->hdr.len;
  result.bytes = std::min(max, result.message_bytes);
  result.truncated = result.bytes < result.message_bytes;
  result.from = packet->hdr.source();
  if (out != nullptr) {
    std::memcpy(out, packet->data, pool_.Kept(result.bytes));
  }
  result.work.bytes_copied = result.bytes;
  ++counters_.datagrams_read;
  ++counters_.reads;
  ++socket.counters.received_messages;
  socket.counters.received_bytes += result.bytes;
  return result;
}

uint32_t Transport::Readable(SocketId id, uint32_t max) const {
  const Socket* socket = FindOpen(id);
  if (socket == nullptr) return 0;
  if (socket->datagram.has_value()) {
    const Packet* first = socket->datagram->receive_queue.front();
    return first == nullptr ? 0 : std::min<uint32_t>(max, first->hdr.len);
  }
  if (!socket->connection.has_value()) return 0;
  return std::min(max, socket->connection->credit().rx_bytes());
}

// Options.

absl::Status Transport::SetBufferSize(SocketId id, StreamBufferSize size) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (size.min > size.max) return InvalidCall("minimum above maximum");
  size.size = std::clamp(size.size, size.min, size.max);
  const bool changed = size.size != socket->buffer_size.size;
  socket->buffer_size = size;
  if (!socket->connection.has_value() || !changed) return absl::OkStatus();
  socket->connection->credit().Resize(size.BufAlloc());
  if (socket->connection->state() == Connection::State::kEstablished) {
    Emit(*socket, Op::kCreditUpdate);
  }
  WakeUp(*socket, kWritable);  // the buffer also caps what may be sent
  return absl::OkStatus();
}

absl::Status Transport::SetLowWater(SocketId id, uint32_t bytes) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (bytes > socket->buffer_size.size) {
    return InvalidCall("SO_RCVLOWAT above the buffer would never be met");
  }
  socket->low_water = std::max(bytes, 1u);
  if (!socket->connection.has_value()) return absl::OkStatus();
  const Credit& credit = socket->connection->credit();
  if (socket->connection->state() == Connection::State::kEstablished &&
      credit.rx_bytes() < socket->low_water && credit.HasUnannounced()) {
    Emit(*socket, Op::kCreditUpdate);
  }
  WakeUp(*socket, kReadable);
  return absl::OkStatus();
}

absl::Status Transport::SetSendBuffer(SocketId id, uint32_t value) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (!socket->datagram.has_value())
    return InvalidCall("not a datagram socket");
  socket->datagram->send_buffer.Resize(
      options_.datagram_send_buffer.Effective(value));
  if (socket->datagram->send_buffer.WakesWriter()) {
    WakeUp(*socket, kWritable);
  }
  return absl::OkStatus();
}

absl::Status Transport::SetReceiveBuffer(SocketId id, uint32_t value) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr) return NoSuchSocket();
  if (!socket->datagram.has_value())
    return InvalidCall("not a datagram socket");
  socket->datagram->receive_queue.Resize(
      options_.datagram_receive_buffer.Effective(value));
  return absl::OkStatus();
}

// Sleeping.

bool Transport::WaitFor(SocketId id, uint32_t events) {
  Socket* socket = FindOpen(id);
  if (socket == nullptr || Holds(*socket, events)) return true;
  socket->waiting |= events;
  return false;
}

bool Transport::IsReady(SocketId id, uint32_t events) const {
  const Socket* socket = FindOpen(id);
  return socket == nullptr || Holds(*socket, events);
}

bool Transport::Holds(const Socket& socket, uint32_t events) const {
  if (socket.datagram.has_value()) {
    const DatagramPart& part = *socket.datagram;
    return ((events & kReadable) != 0 &&
            (!part.receive_queue.empty() ||
             (part.shutdown & kShutdownReceive) != 0)) ||
           ((events & kWritable) != 0 &&
            (part.send_buffer.HasRoom() ||
             (part.shutdown & kShutdownSend) != 0));
  }
  if (socket.listener.has_value()) {
    return (events & kAcceptable) != 0 && !socket.listener->queue.empty();
  }
  if (!socket.connection.has_value()) return true;
  const Connection& connection = *socket.connection;
  return ((events & kConnected) != 0 &&
          connection.state() != Connection::State::kConnecting) ||
         ((events & kReadable) != 0 && connection.CanRead(socket.low_water)) ||
         ((events & kWritable) != 0 &&
          (connection.credit().Space() > 0 || connection.Broken()));
}

void Transport::WakeUp(Socket& socket, uint32_t events) {
  const uint32_t awaited = socket.waiting & events;
  if (awaited == 0 || !Holds(socket, awaited)) return;
  socket.waiting = 0;
  wakes_.push_back({socket.id, awaited});
}

// Time-outs.

void Transport::SetDeadline(Socket& socket, Instant at) {
  ClearDeadline(socket);
  socket.deadline = at;
  deadlines_.insert({at, socket.id});
}

void Transport::ClearDeadline(Socket& socket) {
  if (!socket.deadline.has_value()) return;
  deadlines_.erase({*socket.deadline, socket.id});
  socket.deadline.reset();
}

std::optional<Instant> Transport::NextDeadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

Work Transport::OnDeadline(Instant now) {
  const size_t before = wakes_.size();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    Socket& socket = *table_.Find(deadlines_.begin()->second);
    ClearDeadline(socket);
    const Op op = socket.connection->TimeOut();
    if (op != Op::kInvalid) Emit(socket, op);
    WakeUp(socket, kAllEvents);
    SettleClosed(socket);
  }
  Work work;
  work.wakeups = static_cast<uint32_t>(wakes_.size() - before);
  return work;
}

}  // namespace vsock
