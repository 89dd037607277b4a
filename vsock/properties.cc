#include "vsock/properties.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vsock/connection.h"
#include "vsock/credit.h"
#include "vsock/end_properties.h"
#include "vsock/hdr.h"
#include "vsock/property.h"

namespace vsock {
namespace {

using State = Connection::State;

// The other end of a stream, if both are connected to each other.
const Socket* OtherEnd(Transport& here, Transport& there,
                       const Socket& socket) {
  if (!socket.port.has_value() || !socket.peer.has_value()) return nullptr;
  const Socket* other = there.table().FindConnected(socket.peer->port,
                                                    {here.cid(), *socket.port});
  return other != nullptr && other->connection.has_value() ? other : nullptr;
}

bool IsOpen(const Socket& socket) {
  return socket.connection->state() == State::kEstablished;
}

}  // namespace

absl::Status Properties::LookAtStep() {
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
  const Transport& guest = guest_.transport();
  const Transport& host = host_.transport();
  if (absl::Status s = CheckTransport(guest, host); !s.ok()) return s;
  if (absl::Status s = CheckTransport(host, guest); !s.ok()) return s;
  return CheckRings();
}

absl::Status Properties::CheckTransport(const Transport& here,
                                        const Transport& there) {
  if (absl::Status s = CheckEnd(here); !s.ok()) return s;
  const Transport::Counters& counters = here.counters();
  if (counters.datagrams_received > there.counters().datagrams_sent) {
    return Breach(Property::kDatagrams, "more arrived than were sent");
  }
  if (counters.stream_bytes_received > there.counters().stream_bytes_sent) {
    return Breach(Property::kStreamBytes, "more arrived than were sent");
  }
  if (counters.reopened > 0) {
    return Breach(Property::kConnections,
                  "a REQUEST came for a flow that is still held");
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckRings() {
  const Driver& driver = guest_.driver();
  const uint16_t size = driver.layout().size;
  if (device_.tx_completed() > driver.tx_added() ||
      driver.tx_in_flight() > size || driver.rx_posted() > size) {
    return Breach(Property::kChains,
                  "a ring returned more chains than it was given");
  }
  if (!driver.status().ok() || !device_.status().ok()) {
    return Breach(Property::kChains, "a ring was broken by one of its halves");
  }
  if (guest_.send_list().replies() > driver.most_replies() ||
      device_.send_list().replies() > size) {
    return Breach(Property::kMemory, "more than one ring of queued replies");
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
  const uint32_t steps = std::exchange(unseen_steps_, 0);
  steps_without_progress_ =
      progress == progress_ ? steps_without_progress_ + steps : 0;
  progress_ = progress;
  if (steps_without_progress_ <= PatienceSteps()) return absl::OkStatus();
  return Breach(Property::kLivelock, absl::StrCat(steps_without_progress_,
                                                  " steps without progress"));
}

absl::Status Properties::CheckSocket(Transport& here, Transport& there,
                                     SocketId id) {
  const Socket* socket = here.Find(id);
  if (socket == nullptr) return absl::OkStatus();
  if (absl::Status s = CheckEnd(here, *socket); !s.ok()) return s;
  if (!socket->connection.has_value()) return absl::OkStatus();
  return CheckStream(here, there, *socket);
}

absl::Status Properties::CheckStream(Transport& here, Transport& there,
                                     const Socket& socket) {
  const Socket* other = OtherEnd(here, there, socket);
  if (other == nullptr || !IsOpen(socket) || !IsOpen(*other)) {
    return absl::OkStatus();
  }
  return CheckFlow(here, socket, *other);
}

absl::Status Properties::CheckFlow(Transport& here, const Socket& socket,
                                   const Socket& other) {
  if (socket.counters.arrived_bytes > other.counters.sent_bytes) {
    return Breach(Property::kStreamBytes, here, socket,
                  "more bytes arrived than were sent");
  }
  const Credit& credit = socket.connection->credit();
  const Credit& theirs = other.connection->credit();
  if (static_cast<int32_t>(theirs.announced_fwd_cnt() - credit.peer_fwd_cnt()) <
      0) {
    return Breach(Property::kCredit, here, socket,
                  "credit that the receiver has not given");
  }
  if (credit.InFlight() > theirs.most_announced()) {
    return Breach(Property::kCredit, here, socket,
                  "more in flight than was ever announced");
  }
  return absl::OkStatus();
}

// At rest.

bool Properties::IsStopped() const {
  return guest_.driver().rx_posted() == 0 &&
         device_.send_list().replies() >= guest_.driver().layout().size;
}

absl::Status Properties::AtRest() {
  if (absl::Status s = CheckSums(); !s.ok() || IsStopped()) return s;
  if (absl::Status s = CheckRingsAtRest(); !s.ok()) return s;
  if (absl::Status s = CheckStreamBytesAtRest(); !s.ok()) return s;
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
  if (!device_.idle() || !driver.idle()) {
    return Breach(Property::kNotifications, "a packet is in hand");
  }
  if (driver.tx_added() != device_.tx_completed()) {
    return Breach(Property::kNotifications,
                  "the tx ring has work that the idle device was not told of");
  }
  if (driver.tx_in_flight() != 0) {
    return Breach(Property::kNotifications,
                  "used tx buffers that the idle driver was not told of");
  }
  if (!guest_.send_list().empty()) {
    return Breach(Property::kNotifications,
                  "the guest's send list has work, and the ring has room");
  }
  if (!device_.send_list().empty() && driver.rx_posted() > 0) {
    return Breach(Property::kNotifications,
                  "the host's send list has work, and the ring has buffers");
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckStreamBytesAtRest() {
  const Transport::Counters& guest = guest_.transport().counters();
  const Transport::Counters& host = host_.transport().counters();
  if (guest.stream_bytes_sent != host.stream_bytes_received) {
    return Breach(Property::kStreamBytes, "bytes to the host did not arrive");
  }
  uint64_t waiting = 0;
  for (const Packet* packet = device_.send_list().front(); packet != nullptr;
       packet = packet->next) {
    if (packet->hdr.is(Type::kStream)) waiting += packet->remaining();
  }
  if (host.stream_bytes_sent != guest.stream_bytes_received + waiting) {
    return Breach(Property::kStreamBytes, "bytes to the guest did not arrive");
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckDatagramsAtRest() {
  const Transport::Counters& guest = guest_.transport().counters();
  const Transport::Counters& host = host_.transport().counters();
  if (guest.datagrams_sent !=
      host.datagrams_received + device_.datagrams_lost_to_host()) {
    return Breach(Property::kDatagrams,
                  "one to the host is neither there nor counted");
  }
  uint64_t waiting = 0;
  waiting_charges_.clear();
  for (const Packet* packet = device_.send_list().front(); packet != nullptr;
       packet = packet->next) {
    waiting += packet->hdr.is(Type::kDgram);
    waiting_charges_[packet->owner] += packet->charge;
  }
  if (host.datagrams_sent !=
      guest.datagrams_received + device_.datagrams_lost_to_guest() +
          guest_.driver().losses().datagrams() + waiting) {
    return Breach(Property::kDatagrams,
                  "one to the guest is neither there nor counted");
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
      return Breach(Property::kDatagrams,
                    "one that arrived is neither queued, read nor lost");
    }
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckSocketAtRest(Transport& here, Transport& there,
                                           const Socket& socket) {
  if (socket.waiting != 0 && here.IsReady(socket.id, socket.waiting)) {
    return Breach(Property::kDeadlock, here, socket,
                  "a sleeper was not told what has come true");
  }
  if (socket.datagram.has_value()) return CheckChargeAtRest(here, socket);
  if (!socket.connection.has_value()) return absl::OkStatus();
  return CheckStreamAtRest(here, there, socket);
}

absl::Status Properties::CheckChargeAtRest(Transport& here,
                                           const Socket& socket) {
  uint64_t below = socket.in_hand == nullptr ? 0 : socket.in_hand->charge;
  if (&here == &host_.transport()) {
    auto it = waiting_charges_.find(socket.id);
    if (it != waiting_charges_.end()) below += it->second;
  }
  const uint64_t charged = socket.datagram->send_buffer.charged();
  if (charged != below) {
    return Breach(Property::kSendCharges, here, socket,
                  absl::StrCat("charged ", charged, " for datagrams of ", below,
                               " below the socket"));
  }
  if (socket.user_closed && charged == 0) {
    return Breach(Property::kSendCharges, here, socket,
                  "a closed socket outlives its last charge");
  }
  return absl::OkStatus();
}

absl::Status Properties::CheckStreamAtRest(Transport& here, Transport& there,
                                           const Socket& socket) {
  if (socket.peer.has_value() && socket.peer->cid != there.cid()) {
    return absl::OkStatus();  // to nobody that is looked at
  }
  const State state = socket.connection->state();
  if (state == State::kClosed || !AllUnderWayArrived()) return absl::OkStatus();
  const Socket* other = OtherEnd(here, there, socket);
  const bool open = state == State::kEstablished;
  if (other == nullptr || state == State::kConnecting ||
      (!open && !IsOpen(*other))) {
    return Breach(Property::kDeadlock, here, socket,
                  "a handshake or a close that the peer has not answered");
  }
  // Whoever has not closed may go on reading what the other one sent.
  if (!open || !IsOpen(*other)) return absl::OkStatus();
  return CheckFlowAtRest(here, socket, *other);
}

absl::Status Properties::CheckFlowAtRest(Transport& here, const Socket& socket,
                                         const Socket& other) {
  const Credit& credit = socket.connection->credit();
  const Credit& theirs = other.connection->credit();
  if (socket.counters.arrived_bytes != other.counters.sent_bytes) {
    return Breach(Property::kStreamBytes, here, socket,
                  "not all bytes that were sent have arrived");
  }
  if (credit.peer_fwd_cnt() != theirs.announced_fwd_cnt() ||
      credit.peer_buf_alloc() != theirs.announced_buf_alloc()) {
    return Breach(Property::kCredit, here, socket,
                  "the sender does not know what was announced");
  }
  if (theirs.UpdateDue(other.low_water) ||
      theirs.buf_alloc() != theirs.announced_buf_alloc()) {
    return Breach(Property::kDeadlock, here, socket,
                  "an update of credit was due and not sent");
  }
  if ((socket.waiting & kWritable) != 0 && (other.waiting & kReadable) != 0) {
    return Breach(
        Property::kDeadlock, here, socket,
        "the sender sleeps for credit, and the receiver for more than "
        "it holds");
  }
  return absl::OkStatus();
}

}  // namespace vsock
