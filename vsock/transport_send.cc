// The half of Transport that takes messages from applications.

#include <algorithm>
#include <cstring>
#include <utility>

#include "virtqueue/check.h"
#include "vsock/socket_error.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

SendResult Failed(absl::Status status) {
  SendResult result;
  result.status = std::move(status);
  result.work.syscalls = 1;
  return result;
}

}  // namespace

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
    const absl::Status error = socket.connection->ErrorStatus();
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
  if (!Leads(to->cid)) {
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

}  // namespace vsock
