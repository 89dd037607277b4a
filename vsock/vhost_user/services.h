// services.h: the built-in services at their ports, and their connections.

#ifndef VSOCK_VHOST_USER_SERVICES_H_
#define VSOCK_VHOST_USER_SERVICES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "vsock/packet.h"
#include "vsock/units.h"
#include "vsock/vhost_user/host_program.h"
#include "vsock/vhost_user/service.h"
#include "vsock/vhost_user/sockets.h"

namespace vsock::vhost_user {

class Services final : public HostProgram, public SocketUser {
 public:
  // A guest that holds so many connections is refused more until it closes
  // some.
  static constexpr size_t kMostConnections = 4096;

  explicit Services(const std::vector<ServiceSpec>& specs);

  void Begin(Sockets& sockets, Instant now) override;
  void Run(Instant) override {}  // everything it does is for a socket
  void End() override;

  uint64_t accepted() const { return accepted_; }  // since the program began
  size_t open() const { return connections_.size(); }

 private:
  struct Connection {
    Service* service;
    uint64_t progress = 0;
  };

  void OnReady(SocketId socket, Instant now) override;
  void Listen(const ServiceSpec& spec, Service& service);
  void ReceiveDatagrams(const ServiceSpec& spec, Service& service);
  void Accept(SocketId listener, Service& service);
  void Serve(SocketId socket, Connection& connection, Instant now);
  void Wait(SocketId socket, const Service::Next& next);
  void Drop(SocketId socket, Instant now);

  const std::vector<ServiceSpec> specs_;
  std::vector<std::unique_ptr<Service>> services_;  // as specs_
  Sockets* sockets_ = nullptr;                      // while a driver lives
  absl::btree_map<SocketId, Service*> listeners_;
  absl::btree_map<SocketId, Service*> datagram_sockets_;
  absl::btree_map<SocketId, Connection> connections_;
  uint64_t accepted_ = 0;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_SERVICES_H_
