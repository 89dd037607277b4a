// sockets.h: the host's sockets, and who is called when one is ready.
//
// The transport calls nobody: it says which sockets something came true for.
// This runs their users in that order, each once a round, so that one that
// always has something to do does not keep the others waiting.

#ifndef VSOCK_VHOST_USER_SOCKETS_H_
#define VSOCK_VHOST_USER_SOCKETS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock::vhost_user {

class SocketUser {
 public:
  virtual ~SocketUser() = default;
  // What was waited for may have come true.
  virtual void OnReady(SocketId socket, Instant now) = 0;
};

class Sockets {
 public:
  // `transport` outlives this, and so do users until they are forgotten.
  explicit Sockets(Transport& transport) : transport_(transport) {}
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  Transport& transport() { return transport_; }

  // Calls `user` in a later round: once one of `events` holds; at a time; in
  // the next. A socket has one user.
  void WaitFor(SocketId socket, uint32_t events, SocketUser& user);
  void WaitUntil(SocketId socket, Instant at, SocketUser& user);
  void RunAgain(SocketId socket, SocketUser& user);

  // Closes the socket; nobody is called for it any more.
  void Close(SocketId socket, Instant now);

  // One round.
  void Run(Instant now);

  // The next round has somebody to call.
  bool busy() const { return !ready_.empty(); }
  // When something is due, here or in the transport.
  std::optional<Instant> NextDeadline() const;

 private:
  struct Entry {
    SocketUser* user = nullptr;
    bool queued = false;  // in ready_
    std::optional<Instant> at;
  };

  void Enqueue(SocketId socket, Entry& entry);
  void CollectDue(Instant now);

  Transport& transport_;
  absl::flat_hash_map<SocketId, Entry> entries_;
  std::deque<SocketId> ready_;
  absl::btree_set<std::pair<Instant, SocketId>> timers_;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_SOCKETS_H_
