#include "vsock/vhost_user/watch.h"

#include <utility>

#include "vsock/end_properties.h"
#include "vsock/property.h"
#include "vsock/socket.h"

namespace vsock::vhost_user {
Watch::Watch(const Transport& host, const Device& device)
    : host_(host), device_(device), reopened_(host.counters().reopened) {}

std::optional<Watch::Finding> Watch::AfterStep() {
  if (std::optional<Finding> finding = LookAtGuest()) return finding;
  absl::Status status = LookAtHost();
  if (status.ok() || std::exchange(breached_, true)) return std::nullopt;
  return Finding{.status = std::move(status), .socket = host_.last_touched()};
}

std::optional<Watch::Finding> Watch::LookAtGuest() {
  const SocketId touched = host_.last_touched();
  const uint64_t reopened = host_.counters().reopened;
  if (std::exchange(reopened_, reopened) != reopened) {
    return Finding{.status = absl::DataLossError(
                       "5.10.6.5: a REQUEST for a connection that there is"),
                   .socket = touched,
                   .is_guests = true};
  }
  const Socket* socket = host_.Find(touched);
  if (socket == nullptr || !socket->connection.has_value() ||
      socket->connection->state() == Connection::State::kClosed) {
    return std::nullopt;
  }
  absl::Status status = CheckPeer(*socket);
  if (status.ok()) return std::nullopt;
  return Finding{
      .status = std::move(status), .socket = touched, .is_guests = true};
}

absl::Status Watch::LookAtHost() {
  if (absl::Status s = CheckEnd(host_); !s.ok()) return s;
  if (device_.send_list().replies() >
      device_.most_replies() + host_.most_held()) {
    return Breach(Property::kMemory, "more replies queued than may be");
  }
  const Socket* socket = host_.Find(host_.last_touched());
  return socket == nullptr ? absl::OkStatus() : CheckEnd(host_, *socket);
}

}  // namespace vsock::vhost_user
