#include "vsock/end_properties.h"

#include <algorithm>
#include <cstdint>

#include "vsock/connection.h"
#include "vsock/credit.h"
#include "vsock/datagram_queue.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/property.h"
#include "vsock/truesize.h"

namespace vsock {
namespace {

// Bytes of the first queued packet that were read already.
uint32_t PartlyRead(const Connection& connection) {
  const Packet* first = connection.queue().front();
  return first == nullptr ? 0 : first->offset;
}

absl::Status CheckStream(const Transport& here, const Socket& socket) {
  const Connection& connection = *socket.connection;
  const Credit& credit = connection.credit();
  const SocketCounters& counters = socket.counters;
  if (credit.Space() > credit.Limit()) {
    return Breach(Property::kCredit, here, socket,
                  "credit beyond what was announced");
  }
  if (credit.buf_used() >
      std::max(credit.most_announced(), credit.buf_alloc())) {
    return Breach(Property::kMemory, here, socket,
                  "receive memory beyond what was announced");
  }
  if (connection.state() == Connection::State::kClosing) {
    return absl::OkStatus();  // what was unread is gone
  }
  if (counters.arrived_bytes != counters.received_bytes + credit.rx_bytes()) {
    return Breach(Property::kStreamBytes, here, socket,
                  "bytes appeared or disappeared");
  }
  if (credit.buf_used() - credit.rx_bytes() != PartlyRead(connection)) {
    return Breach(Property::kConsumedBytes, here, socket,
                  "fwd_cnt is not what was read");
  }
  return absl::OkStatus();
}

absl::Status CheckDatagram(const Transport& here, const Socket& socket) {
  const DatagramQueue& queue = socket.datagram->receive_queue;
  // The test comes before the charge: the last one may overshoot.
  if (queue.charged() >
      uint64_t{queue.most_limit()} + TrueSize(kHdrBytes + 2 * kMaxPayload)) {
    return Breach(Property::kMemory, here, socket,
                  "receive memory beyond SO_RCVBUF");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckEnd(const Transport& here) {
  const Transport::Counters& counters = here.counters();
  if (counters.datagrams_read + counters.datagrams_lost >
      counters.datagrams_received) {
    return Breach(Property::kDatagrams, "more read and lost than arrived");
  }
  if (counters.rst_answered > 0) {
    return Breach(Property::kConnections, "an RST was answered");
  }
  if (counters.premature > 0) {
    return Breach(Property::kConnections,
                  "a packet left before the peer had acknowledged");
  }
  return absl::OkStatus();
}

absl::Status CheckEnd(const Transport& here, const Socket& socket) {
  if (socket.datagram.has_value()) return CheckDatagram(here, socket);
  if (!socket.connection.has_value()) return absl::OkStatus();
  return CheckStream(here, socket);
}

// Never more is in flight than this side may have: it is the cap of its own
// sending (credit.h). A fwd_cnt ahead of what was sent makes the difference,
// modulo 2^32, larger still.
absl::Status CheckPeer(const Socket& socket) {
  if (!socket.connection.has_value()) return absl::OkStatus();
  const Credit& credit = socket.connection->credit();
  if (credit.InFlight() <=
      std::max(credit.most_announced(), credit.buf_alloc())) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      "5.10.6.3: fwd_cnt is not between what it was and what was sent");
}

}  // namespace vsock
