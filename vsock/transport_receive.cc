// The half of Transport that gives bytes to applications.

#include <algorithm>
#include <cstring>

#include "vsock/socket_error.h"
#include "vsock/transport.h"

namespace vsock {

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
    result.status = connection.ErrorStatus();
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

}  // namespace vsock
