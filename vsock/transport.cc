#include "vsock/transport.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"
#include "vsock/socket_error.h"

namespace vsock {

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

// Whether packets may go there. Only a loopback reaches itself.
bool Transport::Leads(Cid cid) const {
  const bool to_itself = cid == options_.cid;
  return to_itself == (options_.cid == kCidLocal) &&
         router_.Route(cid) != nullptr;
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
  if (!Leads(peer.cid)) {
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
  return socket->connection->ErrorStatus();
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
  Emit(*socket, op, op == Op::kRst ? 0 : hints);
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
      AnswerClose(*child, CloseConnection(*child->connection), now);
    }
    socket.listener.reset();
  }
  if (socket.connection.has_value()) {
    AnswerClose(socket, CloseConnection(*socket.connection), now);
  } else {
    table_.Remove(socket.id);
  }
}

// What is to be sent when the user of a connection is done.
Op Transport::CloseConnection(Connection& connection) const {
  const bool again =
      options_.closing_resets_again && connection.ended_when_open();
  const Op op = connection.Close();
  return op == Op::kInvalid && again ? Op::kRst : op;
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
