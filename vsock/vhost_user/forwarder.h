// forwarder.h: connections between the guest and AF_UNIX sockets of the host,
// as Firecracker and vhost-device-vsock have them.
//
//   A guest that connects to port N of the host, where no service is, is
//   connected to the socket PATH_N, and refused if nobody listens there.
//
//   A program that connects to PATH and writes "CONNECT N\n" is connected to
//   port N of the guest. It reads "OK M\n" once it is, M being the host's port;
//   if it can't be, its connection is closed.
//
// Trust: none in the guest, which may open connections up to a limit. Programs
// of the host may do what they like to their own connection.

#ifndef VSOCK_VHOST_USER_FORWARDER_H_
#define VSOCK_VHOST_USER_FORWARDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/units.h"
#include "vsock/vhost_user/bridge.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/host_program.h"
#include "vsock/vhost_user/poller.h"
#include "vsock/vhost_user/sockets.h"
#include "vsock/vhost_user/unix_socket.h"

namespace vsock::vhost_user {

class Forwarder final : public HostProgram, public SocketUser {
 public:
  // Connections of both kinds at a time.
  static constexpr size_t kMostConnections = 1024;

  struct Counters {
    uint64_t from_guest = 0;  // admitted
    uint64_t to_guest = 0;    // connected
    uint64_t refused = 0;     // of either kind
  };

  // Listens at `path`. `poller` outlives this. Unavailable: the path.
  static absl::StatusOr<std::unique_ptr<Forwarder>> Create(
      const std::string& path, Cid guest, Poller& poller);
  ~Forwarder() override;

  void Begin(Sockets& sockets, Instant now) override;
  void Run(Instant now) override;
  void End() override;

  const Counters& counters() const { return counters_; }
  size_t open() const {
    return clients_.size() + connecting_.size() + bridges_.size();
  }

 private:
  // A program that has connected, and its line as far as it has come.
  struct Client {
    FileDescriptor file;
    std::string line;
  };

  Forwarder(UnixListener listener, Cid guest, Poller& poller);

  void OnReady(SocketId socket, Instant now) override;

  // From the guest.
  void Answer(const VsockHdr& request);

  // From the host.
  void AcceptClient();
  void OnClient(int fd);
  bool ReadLine(Client& client);
  void Connect(Client client);
  void OnConnected(SocketId socket, Instant now);
  void Refuse(SocketId socket, Instant now);

  void AddBridge(SocketId socket, FileDescriptor file);
  void CloseBridge(SocketId socket, Instant now);

  UnixListener listener_;
  const Cid guest_;
  Poller& poller_;
  Sockets* sockets_ = nullptr;            // while a driver lives
  absl::btree_map<int, Client> clients_;  // by descriptor, without a socket
  absl::btree_map<SocketId, FileDescriptor> connecting_;
  absl::btree_map<SocketId, std::unique_ptr<Bridge>> bridges_;
  Counters counters_;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_FORWARDER_H_
