#include "vsock/vhost_user/services.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/check.h"
#include "vsock/connection.h"
#include "vsock/hdr.h"
#include "vsock/transport.h"

namespace vsock::vhost_user {
namespace {

constexpr uint32_t kBacklog = 128;

}  // namespace

Services::Services(const std::vector<ServiceSpec>& specs) : specs_(specs) {
  for (const ServiceSpec& spec : specs_) {
    services_.push_back(Service::Create(spec));
  }
}

void Services::Begin(Sockets& sockets, Instant) {
  sockets_ = &sockets;
  const Transport& transport = sockets.transport();
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (transport.options().features.Allow(Type::kStream)) {
      Listen(specs_[i], *services_[i]);
    }
    if (transport.options().features.Allow(Type::kDgram) &&
        services_[i]->takes_datagrams()) {
      ReceiveDatagrams(specs_[i], *services_[i]);
    }
  }
}

void Services::End() {
  sockets_ = nullptr;
  listeners_.clear();
  datagram_sockets_.clear();
  connections_.clear();
}

void Services::Listen(const ServiceSpec& spec, Service& service) {
  Transport& transport = sockets_->transport();
  const absl::StatusOr<SocketId> socket = transport.Open(Type::kStream);
  VSOCK_CHECK(socket.ok() && transport.Bind(*socket, spec.port).ok() &&
              transport.Listen(*socket, kBacklog).ok());
  listeners_[*socket] = &service;
  sockets_->WaitFor(*socket, kAcceptable, *this);
}

void Services::ReceiveDatagrams(const ServiceSpec& spec, Service& service) {
  Transport& transport = sockets_->transport();
  const absl::StatusOr<SocketId> socket = transport.Open(Type::kDgram);
  VSOCK_CHECK(socket.ok() && transport.Bind(*socket, spec.port).ok());
  datagram_sockets_[*socket] = &service;
  sockets_->WaitFor(*socket, kReadable, *this);
}

void Services::OnReady(SocketId socket, Instant now) {
  if (const auto found = connections_.find(socket);
      found != connections_.end()) {
    Serve(socket, found->second, now);
  } else if (const auto listener = listeners_.find(socket);
             listener != listeners_.end()) {
    Accept(socket, *listener->second);
  } else if (const auto datagrams = datagram_sockets_.find(socket);
             datagrams != datagram_sockets_.end()) {
    Wait(socket,
         datagrams->second->ServeDatagrams(sockets_->transport(), socket));
  }
}

// Whoever finds no room waits in the listener's backlog, or is refused when
// that is full, until Drop makes room.
void Services::Accept(SocketId listener, Service& service) {
  while (connections_.size() < kMostConnections) {
    const absl::StatusOr<SocketId> child =
        sockets_->transport().Accept(listener);
    if (!child.ok()) {
      return sockets_->WaitFor(listener, kAcceptable, *this);
    }
    ++accepted_;
    connections_[*child] = {.service = &service};
    sockets_->RunAgain(*child, *this);
  }
}

void Services::Serve(SocketId socket, Connection& connection, Instant now) {
  const Service::Next next = connection.service->Serve(
      sockets_->transport(), socket, connection.progress, now);
  if (next.over) return Drop(socket, now);
  Wait(socket, next);
}

void Services::Wait(SocketId socket, const Service::Next& next) {
  if (next.again) return sockets_->RunAgain(socket, *this);
  if (next.at.has_value()) return sockets_->WaitUntil(socket, *next.at, *this);
  if (next.events != 0) sockets_->WaitFor(socket, next.events, *this);
}

void Services::Drop(SocketId socket, Instant now) {
  const bool was_full = connections_.size() == kMostConnections;
  connections_.erase(socket);
  sockets_->Close(socket, now);
  if (!was_full) return;
  for (const auto& [listener, service] : listeners_) {
    sockets_->WaitFor(listener, kAcceptable, *this);
  }
}

}  // namespace vsock::vhost_user
