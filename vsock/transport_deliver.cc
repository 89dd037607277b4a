// The half of Transport that faces the ring: what arrives, and what answers it.

#include <utility>

#include "virtqueue/check.h"
#include "vsock/transport.h"

namespace vsock {

Work Transport::Deliver(PacketPtr packet, Instant now) {
  const size_t before = wakes_.size();
  const VsockHdr& hdr = packet->hdr;
  const bool is_rst = hdr.is(Op::kRst);
  const uint64_t sent = counters_.packets_sent;
  if (hdr.dst_cid != options_.cid.value()) {
    losses_.Add(DropReason::kWrongCid, hdr);
  } else if (hdr.is(Type::kDgram)) {
    DeliverDatagram(std::move(packet), now);
  } else if (hdr.is(Type::kStream) && options_.features.Allow(Type::kStream)) {
    DeliverStream(std::move(packet));
  } else {
    EmitReset(hdr);  // 5.10.6.4: RST to an unknown type
  }
  if (is_rst) counters_.rst_answered += counters_.packets_sent - sent;
  Work work;
  work.wakeups = static_cast<uint32_t>(wakes_.size() - before);
  return work;
}

// PROPOSED: whatever becomes of a datagram, its sender is told nothing.
void Transport::DeliverDatagram(PacketPtr packet, Instant now) {
  ++counters_.datagrams_received;
  const VsockHdr& hdr = packet->hdr;
  if (!options_.features.Allow(Type::kDgram)) {
    return LoseDatagram(DropReason::kNotNegotiated, hdr);
  }
  if (!hdr.is(Op::kRw)) return LoseDatagram(DropReason::kMalformed, hdr);
  Socket* socket = table_.FindBound(Type::kDgram, Port(hdr.dst_port));
  if (socket == nullptr) return LoseDatagram(DropReason::kNoSocket, hdr);
  if (socket->peer.has_value() && *socket->peer != hdr.source()) {
    return LoseDatagram(DropReason::kPeerMismatch, hdr);
  }
  DatagramPart& part = *socket->datagram;
  if ((part.shutdown & kShutdownReceive) != 0) {
    return LoseDatagram(DropReason::kShutDown, hdr);
  }
  last_touched_ = socket->id;
  const uint32_t bytes = hdr.len;
  const uint32_t charge = TrueSize(kHdrBytes + packet->capacity);
  if (!part.receive_queue.Offer(packet, charge, drop_policy_, now)) {
    return LoseDatagram(DropReason::kReceiveBufferFull, hdr);
  }
  socket->counters.arrived_bytes += bytes;
  WakeUp(*socket, kReadable);
}

void Transport::LoseDatagram(DropReason reason, const VsockHdr& hdr) {
  ++counters_.datagrams_lost;
  losses_.Add(reason, hdr);
}

void Transport::DeliverStream(PacketPtr packet) {
  const VsockHdr& hdr = packet->hdr;
  if (hdr.op < counters_.received.size()) ++counters_.received[hdr.op];
  counters_.stream_bytes_received += hdr.len;
  const Port port = Port(hdr.dst_port);
  if (Socket* socket = table_.FindConnected(port, hdr.source())) {
    return DeliverToConnection(*socket, std::move(packet));
  }
  Socket* bound = table_.FindBound(Type::kStream, port);
  if (bound != nullptr && bound->listener.has_value() && hdr.is(Op::kRequest)) {
    return DeliverToListener(*bound, hdr);
  }
  if (bound == nullptr && hdr.is(Op::kRequest) && held_.size() < most_held_) {
    held_.push_back(hdr);
    return;
  }
  EmitReset(hdr);
}

void Transport::DeliverToListener(Socket& listener, const VsockHdr& hdr) {
  if (listener.listener->queue.size() >= listener.listener->backlog) {
    return EmitReset(hdr);  // 5.10.6.5: no resources
  }
  Socket& child = table_.Add(Type::kStream);
  child.buffer_size = listener.buffer_size;
  const absl::Status held = table_.Connect(child, *listener.port, hdr.source());
  VSOCK_CHECK(held.ok());  // the flow was looked up before
  child.accepted_from = listener.id;
  listener.listener->queue.push_back(child.id);
  Establish(child, hdr);
  WakeUp(listener, kAcceptable);
}

// The other half of a handshake, of a socket that has its flow.
void Transport::Establish(Socket& child, const VsockHdr& request) {
  child.connection.emplace(Connection::State::kEstablished,
                           child.buffer_size.BufAlloc(),
                           options_.receive_limit);
  child.connection->credit().OnPeer(request);
  last_touched_ = child.id;
  Emit(child, Op::kResponse);
}

std::optional<VsockHdr> Transport::TakeRequest() {
  if (held_.empty()) return std::nullopt;
  const VsockHdr request = held_.front();
  held_.pop_front();
  return request;
}

absl::StatusOr<SocketId> Transport::Admit(const VsockHdr& request) {
  Socket& child = table_.Add(Type::kStream);
  child.buffer_size = options_.stream_buffer;
  const absl::Status held =
      table_.Connect(child, Port(request.dst_port), request.source());
  if (!held.ok()) {
    table_.Remove(child.id);
    return held;
  }
  Establish(child, request);
  return child.id;
}

void Transport::DeliverToConnection(Socket& socket, PacketPtr packet) {
  const VsockHdr hdr = packet->hdr;
  last_touched_ = socket.id;
  counters_.reopened += hdr.is(Op::kRequest);
  const uint32_t queued = socket.connection->credit().rx_bytes();
  const Connection::Reaction reaction =
      socket.connection->OnPacket(std::move(packet));
  socket.counters.arrived_bytes +=
      socket.connection->credit().rx_bytes() - queued;
  if (reaction.unexpected) losses_.Add(DropReason::kMalformed, hdr);
  if (reaction.discarded) losses_.Add(DropReason::kSocketClosed, hdr);
  if ((reaction.events & kConnected) != 0) OnHandshakeOver(socket);
  if (reaction.reply != Op::kInvalid) Answer(socket, reaction.reply);
  WakeUp(socket, reaction.events);
  SettleClosed(socket);
}

// The handshake's timer stops. A buffer that was changed during the handshake
// can be announced only now.
void Transport::OnHandshakeOver(Socket& socket) {
  ClearDeadline(socket);
  if (socket.connection->state() == Connection::State::kEstablished &&
      socket.connection->credit().HasUnannounced()) {
    Emit(socket, Op::kCreditUpdate);
  }
}

// What a connection answers is bounded without a limit on replies: one RST
// ends it, and a CREDIT_UPDATE that is still queued serves for all requests
// that find nothing new to tell.
void Transport::Answer(Socket& socket, Op op) {
  if (op == Op::kCreditUpdate && socket.answer_queued &&
      !socket.connection->credit().HasUnannounced()) {
    return;
  }
  socket.answer_queued |= op == Op::kCreditUpdate;
  Emit(socket, op);
}

void Transport::Emit(Socket& socket, Op op, uint32_t flags) {
  counters_.premature +=
      op != Op::kRequest && op != Op::kRst &&
      socket.connection->state() == Connection::State::kConnecting;
  PacketPtr packet = pool_.Allocate(0);
  packet->hdr.set(Type::kStream, op);
  packet->hdr.set_source({options_.cid, *socket.port});
  packet->hdr.set_destination(*socket.peer);
  packet->hdr.flags = flags;
  packet->owner = socket.id;
  packet->is_reply = op == Op::kResponse;
  socket.connection->credit().Stamp(packet->hdr);
  Enqueue(std::move(packet));
}

// An RST for a packet that no connection takes; never for an RST.
void Transport::EmitReset(const VsockHdr& cause) {
  if (cause.is(Op::kRst) || router_.Route(Cid(cause.src_cid)) == nullptr) {
    return;
  }
  PacketPtr packet = pool_.Allocate(0);
  packet->hdr.set_source(cause.destination());
  packet->hdr.set_destination(cause.source());
  packet->hdr.type = cause.type;
  packet->hdr.op = static_cast<uint16_t>(Op::kRst);
  packet->is_reply = true;
  Enqueue(std::move(packet));
}

Work Transport::Refuse(const VsockHdr& hdr) {
  losses_.Add(DropReason::kNoMemory, hdr);
  if (hdr.is(Type::kDgram)) return {};
  counters_.stream_bytes_received += hdr.len;
  Socket* socket = table_.FindConnected(Port(hdr.dst_port), hdr.source());
  if (socket == nullptr) {
    EmitReset(hdr);
    return {};
  }
  return Fail(*socket, socket->connection->FailForMemory());
}

Work Transport::Reset(SocketId id) {
  Socket* socket = table_.Find(id);
  if (socket == nullptr || !socket->connection.has_value() ||
      socket->connection->state() == Connection::State::kClosed) {
    return {};
  }
  return Fail(*socket, socket->connection->FailForProtocol());
}

Work Transport::Fail(Socket& socket, Op answer) {
  const size_t before = wakes_.size();
  Emit(socket, answer);
  WakeUp(socket, kAllEvents);
  SettleClosed(socket);
  return {.wakeups = static_cast<uint32_t>(wakes_.size() - before)};
}

void Transport::Enqueue(PacketPtr packet) {
  ++counters_.packets_sent;
  if (packet->hdr.is(Type::kDgram)) {
    ++counters_.datagrams_sent;
  } else {
    ++counters_.sent[packet->hdr.op];
    counters_.stream_bytes_sent += packet->hdr.len;
  }
  PacketQueue* list = router_.Route(Cid(packet->hdr.dst_cid));
  VSOCK_CHECK(list != nullptr);  // a route is checked before a socket uses it
  // A loopback's list feeds no ring that could fill up: first in, first out.
  if (packet->is_reply && options_.cid != kCidLocal) {
    list->PushReply(std::move(packet));
  } else {
    list->PushBack(std::move(packet));
  }
}

}  // namespace vsock
