#include "sim/peers/datagram_endpoint.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"
#include "vsock/connection.h"

namespace sim {

using vsock::Port;
using vsock::SocketId;

SocketId DatagramEndpoint::Open() {
  const vsock::SocketBufferLimits& receive = options_.receive_buffer;
  sockets_.push_back(
      {.send_buffer = vsock::SendBuffer(options_.send_buffer.initial),
       .receive_limit = receive.initial});
  return SocketId(sockets_.size());
}

absl::Status DatagramEndpoint::Bind(SocketId id, uint32_t port) {
  VSOCK_CHECK(!At(id).port.has_value());
  if (port == 0) {
    const std::optional<uint32_t> free = FreeEphemeral();
    if (!free.has_value()) {
      return absl::AlreadyExistsError("EADDRINUSE: no ephemeral port is free");
    }
    port = *free;
  } else if (ports_.contains(port)) {
    return absl::AlreadyExistsError(
        absl::StrCat("EADDRINUSE: port ", port, " is bound"));
  }
  ports_[port] = id;
  At(id).port = Port(port);
  return absl::OkStatus();
}

std::optional<uint32_t> DatagramEndpoint::FreeEphemeral() {
  const uint32_t count = options_.last_ephemeral - options_.first_ephemeral + 1;
  for (uint32_t tried = 0; tried < count; ++tried) {
    const uint32_t port = options_.first_ephemeral + next_ephemeral_;
    next_ephemeral_ = (next_ephemeral_ + 1) % count;
    if (!ports_.contains(port)) return port;
  }
  return std::nullopt;
}

absl::Status DatagramEndpoint::Close(
    SocketId id, absl::FunctionRef<void(const Datagram&)> unread) {
  if (!IsOpen(id)) return absl::NotFoundError("EBADF: no such socket");
  Socket& socket = At(id);
  socket.open = false;
  if (socket.port.has_value()) ports_.erase(socket.port->value());
  for (const Datagram& datagram : socket.queue) unread(datagram);
  counters_.unread += socket.queue.size();
  socket.queue.clear();
  return absl::OkStatus();
}

vsock::Address DatagramEndpoint::LocalAddress(SocketId id) const {
  return {options_.cid, At(id).port.value_or(Port(0))};
}

void DatagramEndpoint::SetSendBuffer(SocketId id, uint32_t value) {
  At(id).send_buffer.Resize(options_.send_buffer.Effective(value));
}

void DatagramEndpoint::SetReceiveBuffer(SocketId id, uint32_t value) {
  At(id).receive_limit = options_.receive_buffer.Effective(value);
}

void DatagramEndpoint::Release(SocketId id, uint32_t bytes) {
  Socket& socket = At(id);
  socket.send_buffer.Release(bytes);
  if (socket.send_buffer.WakesWriter()) WakeUp(id, vsock::kWritable);
}

uint64_t DatagramEndpoint::Charged() const {
  uint64_t sum = 0;
  for (const Socket& socket : sockets_) sum += socket.send_buffer.charged();
  return sum;
}

bool DatagramEndpoint::Admits(const Socket& socket) const {
  switch (options_.receive_test) {
    case ReceiveTest::kBelowLimit:
      return socket.receive_charged < socket.receive_limit;
    case ReceiveTest::kUpToLimit:
      return socket.receive_charged <= socket.receive_limit;
  }
  VSOCK_CHECK(false);
}

DatagramEndpoint::Verdict DatagramEndpoint::Deliver(Port to,
                                                    Datagram datagram) {
  const auto found = ports_.find(to.value());
  if (found == ports_.end()) return Verdict::kNoSocket;
  Socket& socket = At(found->second);
  if (!Admits(socket)) return Verdict::kReceiveBufferFull;
  socket.receive_charged += datagram.charge;
  socket.queue.push_back(std::move(datagram));
  ++counters_.queued;
  WakeUp(found->second, vsock::kReadable);
  return Verdict::kQueued;
}

uint32_t DatagramEndpoint::Readable(SocketId id, uint32_t max) const {
  const Socket& socket = At(id);
  return socket.queue.empty() ? 0 : std::min(socket.queue.front().bytes, max);
}

vsock::ReceiveResult DatagramEndpoint::Receive(SocketId id, std::byte* out,
                                               uint32_t max) {
  Socket& socket = At(id);
  if (socket.queue.empty()) return {.would_block = true};
  const Datagram datagram = std::move(socket.queue.front());
  socket.queue.pop_front();
  socket.receive_charged -= datagram.charge;
  ++counters_.read;
  const uint32_t bytes = std::min(datagram.bytes, max);
  if (out != nullptr) {
    std::memcpy(out, datagram.kept.data(),
                std::min<size_t>(datagram.kept.size(), bytes));
  }
  return {.bytes = bytes,
          .message_bytes = datagram.bytes,
          .truncated = bytes < datagram.bytes,
          .from = datagram.from};
}

bool DatagramEndpoint::IsReady(SocketId id, uint32_t events) const {
  const Socket& socket = At(id);
  return ((events & vsock::kReadable) != 0 && !socket.queue.empty()) ||
         ((events & vsock::kWritable) != 0 && socket.send_buffer.HasRoom());
}

bool DatagramEndpoint::WaitFor(SocketId id, uint32_t events) {
  if (IsReady(id, events)) return true;
  At(id).awaited = events;
  return false;
}

void DatagramEndpoint::WakeUp(SocketId id, uint32_t event) {
  Socket& socket = At(id);
  if ((socket.awaited & event) == 0) return;
  socket.awaited = 0;
  wakes_.push_back(id);
}

uint32_t DatagramEndpoint::TakeWakes(absl::FunctionRef<void(SocketId)> wake) {
  for (const SocketId id : wakes_) wake(id);
  const auto count = static_cast<uint32_t>(wakes_.size());
  wakes_.clear();
  return count;
}

}  // namespace sim
