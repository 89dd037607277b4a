#include "vsock/properties.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vsock/connection.h"
#include "vsock/credit.h"
#include "vsock/datagram_queue.h"
#include "vsock/hdr.h"
#include "vsock/truesize.h"

namespace vsock {
namespace {

absl::Status Breach(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("property: ", what));
}

absl::Status Breach(const Transport& here, const Socket& socket,
                    absl::string_view what) {
  return Breach(absl::StrCat(what, " (cid ", here.cid().value(), ", port ",
                             socket.port.has_value() ? socket.port->value() : 0,
                             ")"));
}

// The other end of a stream, if both are connected to each other.
const Socket* OtherEnd(Transport& here, Transport& there,
                       const Socket& socket) {
  if (!socket.port.has_value() || !socket.peer.has_value()) return nullptr;
  const Socket* other = there.table().FindConnected(socket.peer->port,
                                                    {here.cid(), *socket.port});
  return other != nullptr && other->connection.has_value() ? other : nullptr;
}

bool IsOpen(const Socket& socket) {
  return socket.connection->state() == Connection::State::kEstablished;
}

// Bytes of the first queued packet that were read already.
uint32_t PartlyRead(const Connection& connection) {
  const Packet* first = connection.queue().front();
  return first == nullptr ? 0 : first->offset;
}

}  // namespace

absl::Status Properties::AfterStep() {
  if (absl::Status s = CheckSums(); !s.ok()) return s;
  if (absl::Status s = CheckProgress(); !s.ok()) return s;
  Transport& guest = guest_.transport();
  Transport& host = host_.transport();
  if (absl::Status s = CheckSocket(guest, host, guest.last_touched());
      !s.ok()) {
    return s;
  }
  return CheckSocket(host, guest, host.last_touched());
}

absl::Status Properties::CheckSums() {
  for (const Transport* side : {&guest_.transport(), &host_.transport()}) {
    const Transport::Counters& counters = side->counters();
    if (counters.datagrams_read + counters.datagrams_lost >
        counters.datagrams_received) {
      return Breach("more datagrams read and lost than arrived");
    }
    if (counters.rst_answered > 0) return Breach("an RST was answered");
    if (counters.premature > 0) {
      return Breach("a packet left before the peer had acknowledged");
    }
    if (counters.reopened > 0) {
      return Breach("a REQUEST came for a flow that is still held");
    }
  }
  if (host_.transport().counters().datagrams_received >
          guest_.transport().counters().datagrams_sent ||
      guest_.transport().counters().datagrams_received >
          host_.transport().counters().datagrams_sent) {
    return Breach("more datagrams arrived than were sent");
  }
  const Driver& driver = guest_.driver();
  if (device_.tx_completed() > driver.tx_added() ||
      driver.tx_in_flight() > driver.layout().size ||
      driver.rx_posted() > driver.layout().size) {
    return Breach("a ring returned more chains than it was given");
  }
  return absl::OkStatus();
}

uint64_t Properties::PatienceSteps() const {
  return 64 * (uint64_t{guest_.driver().layout().size} + 16);
}

absl::Status Properties::CheckProgress() {
  uint64_t progress = device_.tx_completed() + device_.rx_completed() +
                      guest_.driver().tx_added();
  for (const Transport* side : {&guest_.transport(), &host_.transport()}) {
    const Transport::Counters& counters = side->counters();
    progress += counters.packets_sent + counters.reads;
  }
  steps_without_progress_ =
      progress == progress_ ? steps_without_progress_ + 1 : 0;
  progress_ = progress;
  if (steps_without_progress_ <= PatienceSteps()) return absl::OkStatus();
  return Breach(absl::StrCat(steps_without_progress_,
                             " steps without progress: a livelock"));
}

absl::Status Properties::CheckSocket(Transport& here, Transport& there,
                                     SocketId id) {
  const Socket* socket = here.Find(id);
  if (socket == nullptr) return absl::OkStatus();
  if (socket->datagram.has_value()) return CheckDatagram(here, *socket);
  if (!socket->connection.has_value()) return absl::OkStatus();
  return CheckStream(here, there, *socket);
}

absl::Status Properties::CheckStream(Transport& here, Transport& there,
                                     const Socket& socket) {
  const Connection& connection = *socket.connection;
  const Credit& credit = connection.credit();
  const SocketCounters& counters = socket.counters;
  if (credit.Space() > credit.Limit()) {
    return Breach(here, socket, "credit beyond what was announced");
  }
  if (credit.buf_used() >
      std::max(credit.most_announced(), credit.buf_alloc())) {
    return Breach(here, socket, "receive memory beyond what was announced");
  }
  if (connection.state() == Connection::State::kClosing) {
    return absl::OkStatus();  // what was unread is gone
  }
  if (counters.arrived_bytes != counters.received_bytes + credit.rx_bytes()) {
    return Breach(here, socket, "stream bytes appeared or disappeared");
  }
  if (credit.buf_used() - credit.rx_bytes() != PartlyRead(connection)) {
    return Breach(here, socket, "fwd_cnt is not what was read");
  }
  const Socket* other = OtherEnd(here, there, socket);
  if (other == nullptr || !IsOpen(socket) || !IsOpen(*other)) {
    return absl::OkStatus();
  }
  if (counters.arrived_bytes > other->counters.sent_bytes) {
    return Breach(here, socket, "more stream bytes arrived than were sent");
  }
  const Credit& theirs = other->connection->credit();
  if (static_cast<int32_t>(theirs.fwd_cnt() - credit.peer_fwd_cnt()) < 0) {
    return Breach(here, socket, "credit that the receiver has not given");
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckDatagram(Transport& here, const Socket& socket) {
  const DatagramQueue& queue = socket.datagram->receive_queue;
  // The test comes before the charge: the last one may overshoot.
  if (queue.charged() >
      uint64_t{queue.most_limit()} + TrueSize(kHdrBytes + 2 * kMaxPayload)) {
    return Breach(here, socket, "receive memory beyond SO_RCVBUF");
  }
  return absl::OkStatus();
}

// At rest.

absl::Status Properties::AtRest() {
  if (absl::Status s = CheckSums(); !s.ok()) return s;
  if (absl::Status s = CheckRingsAtRest(); !s.ok()) return s;
  if (absl::Status s = CheckDatagramsAtRest(); !s.ok()) return s;
  Transport& guest = guest_.transport();
  Transport& host = host_.transport();
  absl::Status status;
  const auto check = [&](Transport& here, Transport& there) {
    here.table().ForEach([&](Socket& socket) {
      if (status.ok()) status = CheckSocket(here, there, socket.id);
      if (status.ok()) status = CheckSocketAtRest(here, there, socket);
    });
  };
  check(guest, host);
  check(host, guest);
  return status;
}

absl::Status Properties::CheckRingsAtRest() {
  const Driver& driver = guest_.driver();
  if (!device_.idle() || !driver.idle()) return Breach("a packet is in hand");
  if (driver.tx_added() != device_.tx_completed()) {
    return Breach("the tx ring has work that the idle device was not told of");
  }
  if (driver.tx_in_flight() != 0) {
    return Breach("used tx buffers that the idle driver was not told of");
  }
  if (!guest_.send_list().empty()) {
    return Breach("the guest's send list has work, and the ring has room");
  }
  if (!device_.send_list().empty() && driver.rx_posted() > 0) {
    return Breach("the host's send list has work, and the ring has buffers");
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckDatagramsAtRest() {
  const Transport::Counters& guest = guest_.transport().counters();
  const Transport::Counters& host = host_.transport().counters();
  if (guest.datagrams_sent !=
      host.datagrams_received + device_.datagrams_lost_to_host()) {
    return Breach("a datagram to the host is neither there nor counted");
  }
  uint64_t waiting = 0;
  for (const Packet* packet = device_.send_list().front(); packet != nullptr;
       packet = packet->next) {
    waiting += packet->hdr.is(Type::kDgram);
  }
  if (host.datagrams_sent !=
      guest.datagrams_received + device_.datagrams_lost_to_guest() +
          guest_.driver().losses().datagrams() + waiting) {
    return Breach("a datagram to the guest is neither there nor counted");
  }
  return CheckQueuedDatagrams();
}

absl::Status Properties::CheckQueuedDatagrams() {
  for (Transport* side : {&guest_.transport(), &host_.transport()}) {
    uint64_t queued = 0;
    side->table().ForEach([&](const Socket& socket) {
      if (socket.datagram.has_value()) {
        queued += socket.datagram->receive_queue.size();
      }
    });
    const Transport::Counters& counters = side->counters();
    if (counters.datagrams_received !=
        counters.datagrams_read + counters.datagrams_lost + queued) {
      return Breach("a datagram that arrived is neither queued, read nor lost");
    }
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckSocketAtRest(Transport& here, Transport& there,
                                           const Socket& socket) {
  if (socket.waiting != 0 && here.IsReady(socket.id, socket.waiting)) {
    return Breach(here, socket, "a sleeper was not told what has come true");
  }
  if (socket.datagram.has_value()) {
    const uint32_t in_hand =
        socket.in_hand == nullptr ? 0 : socket.in_hand->charge;
    if (&here == &guest_.transport() &&
        socket.datagram->send_buffer.charged() != in_hand) {
      return Breach(here, socket, "a send charge did not return");
    }
    return absl::OkStatus();
  }
  if (!socket.connection.has_value() || !IsOpen(socket)) {
    return absl::OkStatus();
  }
  const Socket* other = OtherEnd(here, there, socket);
  if (other == nullptr || !IsOpen(*other)) return absl::OkStatus();
  const Credit& theirs = other->connection->credit();
  if ((socket.waiting & kWritable) != 0 &&
      theirs.buf_used() < theirs.buf_alloc() &&
      theirs.rx_bytes() < other->low_water) {
    return Breach(here, socket,
                  "deadlock: the sender waits for credit, the receiver has "
                  "room and too little to read");
  }
  return absl::OkStatus();
}

}  // namespace vsock
