#include "vsock/loopback_properties.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vsock/connection.h"
#include "vsock/credit.h"
#include "vsock/packet.h"
#include "vsock/socket.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

absl::Status Breach(int property, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("loopback: property ", property, ": ", what));
}

absl::Status Breach(int property, const Socket& socket,
                    absl::string_view what) {
  const uint32_t port = socket.port.has_value() ? socket.port->value() : 0;
  return Breach(property, absl::StrCat(what, " (port ", port, ")"));
}

// What is between two sockets.
struct UnderWay {
  uint64_t stream_bytes = 0;
  uint64_t datagrams = 0;
  absl::btree_map<SocketId, uint64_t> charges;  // by the sender's socket
};

UnderWay Count(const Loopback& loopback) {
  UnderWay sum;
  const auto add = [&](const Packet& packet) {
    if (packet.hdr.is(Type::kStream)) sum.stream_bytes += packet.hdr.len;
    sum.datagrams += packet.hdr.is(Type::kDgram);
  };
  if (loopback.in_hand() != nullptr) add(*loopback.in_hand());
  for (const Packet* packet = loopback.send_list().front(); packet != nullptr;
       packet = packet->next) {
    add(*packet);
    sum.charges[packet->owner] += packet->charge;
  }
  return sum;
}

absl::Status CheckSums(const Transport::Counters& counters, uint64_t queued,
                       const UnderWay& under_way) {
  if (counters.stream_bytes_sent !=
      counters.stream_bytes_received + under_way.stream_bytes) {
    return Breach(2, "bytes on their way appeared or disappeared");
  }
  if (counters.datagrams_sent !=
      counters.datagrams_received + under_way.datagrams) {
    return Breach(7, "a datagram is neither on its way nor there");
  }
  if (counters.datagrams_received !=
      counters.datagrams_read + counters.datagrams_lost + queued) {
    return Breach(7, "one that arrived is neither queued, read nor lost");
  }
  if (counters.rst_answered > 0) return Breach(11, "an RST was answered");
  if (counters.premature > 0) {
    return Breach(11, "a packet left before the peer had acknowledged");
  }
  return absl::OkStatus();
}

absl::Status CheckDatagram(const Socket& socket, const UnderWay& under_way) {
  const auto on_list = under_way.charges.find(socket.id);
  uint64_t expected = socket.in_hand == nullptr ? 0 : socket.in_hand->charge;
  if (on_list != under_way.charges.end()) expected += on_list->second;
  if (socket.datagram->send_buffer.charged() != expected) {
    return Breach(8, socket, "charged otherwise than for what is below it");
  }
  return absl::OkStatus();
}

absl::Status CheckFlow(const Socket& socket, const Socket& other) {
  const Credit& credit = socket.connection->credit();
  const Credit& theirs = other.connection->credit();
  if (socket.counters.arrived_bytes > other.counters.sent_bytes) {
    return Breach(2, socket, "more bytes arrived than were sent");
  }
  if (static_cast<int32_t>(theirs.announced_fwd_cnt() - credit.peer_fwd_cnt()) <
      0) {
    return Breach(1, socket, "credit that the receiver has not given");
  }
  if (credit.InFlight() > theirs.most_announced()) {
    return Breach(1, socket, "more in flight than was ever announced");
  }
  return absl::OkStatus();
}

absl::Status CheckStream(SocketTable& table, const Socket& socket) {
  const Credit& credit = socket.connection->credit();
  if (credit.Space() > credit.Limit()) {
    return Breach(1, socket, "credit beyond what was announced");
  }
  if (credit.buf_used() >
      std::max(credit.most_announced(), credit.buf_alloc())) {
    return Breach(6, socket, "receive memory beyond what was announced");
  }
  if (socket.connection->state() != Connection::State::kEstablished) {
    return absl::OkStatus();  // what was unread may be gone
  }
  if (socket.counters.arrived_bytes !=
      socket.counters.received_bytes + credit.rx_bytes()) {
    return Breach(2, socket, "bytes appeared or disappeared");
  }
  const Socket* other =
      table.FindConnected(socket.peer->port, {kCidLocal, *socket.port});
  if (other == nullptr || !other->connection.has_value() ||
      other->connection->state() != Connection::State::kEstablished) {
    return absl::OkStatus();
  }
  return CheckFlow(socket, *other);
}

}  // namespace

absl::Status CheckLoopback(Loopback& loopback) {
  Transport& sockets = loopback.transport();
  const UnderWay under_way = Count(loopback);
  uint64_t queued = 0;
  absl::Status status;
  sockets.table().ForEach([&](const Socket& socket) {
    if (!status.ok()) return;
    if (socket.datagram.has_value()) {
      queued += socket.datagram->receive_queue.size();
      status = CheckDatagram(socket, under_way);
    } else if (socket.connection.has_value()) {
      status = CheckStream(sockets.table(), socket);
    }
  });
  if (!status.ok()) return status;
  return CheckSums(sockets.counters(), queued, under_way);
}

}  // namespace vsock
