// bridge.h: one connection carried on between a guest and an AF_UNIX socket.
//
// Back-pressure goes both ways: nothing is read from one side that the other
// has no room for, but for one read that the AF_UNIX socket did not take whole.
// A half close is carried over once everything before it is. When either side
// has gone altogether, so does the other.

#ifndef VSOCK_VHOST_USER_BRIDGE_H_
#define VSOCK_VHOST_USER_BRIDGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsock/connection.h"
#include "vsock/packet.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/poller.h"
#include "vsock/vhost_user/sockets.h"

namespace vsock::vhost_user {

class Bridge {
 public:
  struct Ends {
    SocketId guest;  // an open connection of `sockets`
    FileDescriptor unix_socket;
  };

  // `sockets`, `user`, who is told when Pump has something to do, and `poller`
  // outlive the bridge.
  Bridge(Ends ends, Sockets& sockets, SocketUser& user, Poller& poller);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge();

  // Carries on what there is, a bounded amount. False: it is over, and the
  // guest's connection is to be closed.
  bool Pump();

 private:
  // What came of one direction.
  enum class Flow { kWaits, kMore, kFailed };

  Flow ToUnix();
  Flow ToGuest();
  bool Flush();
  void EndToUnix();
  bool IsOver() const;
  void Watch();
  void OnUnix(uint32_t events);
  const Connection* connection() const;
  int fd() const { return unix_.get(); }

  const SocketId guest_;
  FileDescriptor unix_;
  Sockets& sockets_;
  SocketUser& user_;
  Poller& poller_;
  std::vector<std::byte> unwritten_;  // read from the guest
  size_t written_ = 0;                // of them
  bool guest_ended_ = false;          // it sends no more, and unix_ knows
  bool unix_ended_ = false;           // the same the other way
  bool unix_gone_ = false;            // it takes no more either
  uint32_t watched_ = 0;              // events
  bool is_watched_ = false;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_BRIDGE_H_
