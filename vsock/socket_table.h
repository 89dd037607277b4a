// socket_table.h: the sockets of one endpoint, by id, by port, by flow.
//
// Source: Linux's bound and connected tables, with the two port spaces of the
// datagram series of 2026: stream and seqpacket share one, datagrams have
// their own, so a stream and a datagram socket may hold the same address.
// No order of a hash map is ever visible.

#ifndef VSOCK_SOCKET_TABLE_H_
#define VSOCK_SOCKET_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vsock/socket.h"

namespace vsock {

class SocketTable {
 public:
  // A fresh socket of `type`; its address is stable until Remove.
  Socket& Add(Type type);
  void Remove(SocketId id);

  // Null if there is no such socket (any more).
  Socket* Find(SocketId id) {
    const uint32_t index = static_cast<uint32_t>(id.value());
    if (index >= slots_.size()) return nullptr;
    Socket& socket = slots_[index]->socket;
    return socket.id == id && id != SocketId() ? &socket : nullptr;
  }
  const Socket* Find(SocketId id) const {
    return const_cast<SocketTable*>(this)->Find(id);
  }

  // Gives the socket a port; kPortAny picks a free one above the reserved
  // ones. Children of a listener share its port and are not bound.
  absl::Status Bind(Socket& socket, Port port);
  void Unbind(const Socket& socket);
  Socket* FindBound(Type type, Port port);

  absl::Status Connect(Socket& socket, Port local, Address remote);
  // Frees the flow, if this socket holds it.
  void Disconnect(const Socket& socket);
  Socket* FindConnected(Port local, Address remote);

  // Calls `visit(Socket&)` in order of creation slots.
  template <typename Visitor>
  void ForEach(Visitor visit) {
    for (const std::unique_ptr<Slot>& slot : slots_) {
      if (slot->socket.id != SocketId()) visit(slot->socket);
    }
  }

  size_t size() const { return size_; }

  // The range that automatic ports are taken from; both ends included.
  void SetAutoPorts(Port first, Port last);

 private:
  struct alignas(64) Slot {
    Socket socket;            // of id 0 while nobody uses the slot
    uint32_t generation = 0;  // the upper half of its ids, from 1 on
  };
  struct Flow {
    Port local;
    Address remote;
    friend bool operator==(const Flow&, const Flow&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Flow& flow) {
      return H::combine(std::move(state), flow.local, flow.remote.cid,
                        flow.remote.port);
    }
  };

  static uint64_t BoundKey(Type type, Port port) {
    return uint64_t{type == Type::kDgram} << 32 | port.value();
  }
  absl::StatusOr<Port> PickPort(Type type);

  std::vector<std::unique_ptr<Slot>> slots_;  // by the lower half of the id
  std::vector<uint32_t> free_;
  size_t size_ = 0;
  absl::flat_hash_map<uint64_t, SocketId> bound_;
  absl::flat_hash_map<Flow, SocketId> connected_;
  Port first_auto_{1024};  // above LAST_RESERVED_PORT
  Port last_auto_{0xfffffffe};
  Port next_auto_{1024};
};

}  // namespace vsock

#endif  // VSOCK_SOCKET_TABLE_H_
