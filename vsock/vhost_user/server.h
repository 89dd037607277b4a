// server.h: one device at a socket's path, for one front end after another.
//
// A front end that breaks the protocol, or goes away, is hung up on; the server
// then waits for the next. While one is connected others wait.

#ifndef VSOCK_VHOST_USER_SERVER_H_
#define VSOCK_VHOST_USER_SERVER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vsock/policy/proposal.h"
#include "vsock/units.h"
#include "vsock/vhost_user/backend.h"
#include "vsock/vhost_user/counters.h"
#include "vsock/vhost_user/forwarder.h"
#include "vsock/vhost_user/front_end.h"
#include "vsock/vhost_user/poller.h"
#include "vsock/vhost_user/real_guest.h"
#include "vsock/vhost_user/service.h"
#include "vsock/vhost_user/services.h"
#include "vsock/vhost_user/unix_socket.h"

namespace vsock::vhost_user {

class Server {
 public:
  struct Options {
    std::string socket;  // where front ends connect
    Cid guest_cid{3};
    std::optional<Proposal> proposal;  // of datagrams, which it offers then
    uint64_t ring_features = kEventIdx | kIndirectDesc | kRingPacked | kInOrder;
    std::vector<ServiceSpec> services;
    std::string forward;  // the path of forwarder.h; empty: none
    RealGuest::Log log;
  };

  // InvalidArgument: a context id that no guest may have (5.10.4). Unavailable:
  // the path.
  static absl::StatusOr<std::unique_ptr<Server>> Create(const Options& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Waits until something happens, at most so long, and deals with it. False:
  // nothing did, and there is nothing more to do until something does.
  bool Round(std::optional<Nanos> limit);

  // Files of the program itself may be watched along.
  Poller& poller() { return *poller_; }

  Counters Count() const;

 private:
  Server(const Options& options, std::unique_ptr<Poller> poller,
         UnixListener listener, std::unique_ptr<Forwarder> forwarder);

  absl::Status Listen();
  void AcceptFrontEnd();
  void OnFrontEnd();
  void HangUp(const absl::Status& why);

  const Options options_;
  std::unique_ptr<Poller> poller_;
  UnixListener listener_;
  Services services_;
  std::unique_ptr<Forwarder> forwarder_;  // null: there is none
  RealGuest guest_;
  std::optional<Backend> backend_;  // of the front end
  std::optional<FrontEnd> front_end_;
  uint64_t front_ends_ = 0;
  uint64_t messages_ = 0;
  uint64_t faults_ = 0;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_SERVER_H_
