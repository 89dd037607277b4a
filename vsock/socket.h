// socket.h: one AF_VSOCK socket: what is common, and one part per kind.
//
// The rules live in the parts (connection.h, send_buffer.h, datagram_queue.h)
// and in transport.h, which is the only one to change a Socket.

#ifndef VSOCK_SOCKET_H_
#define VSOCK_SOCKET_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "vsock/connection.h"
#include "vsock/datagram_queue.h"
#include "vsock/packet.h"
#include "vsock/send_buffer.h"
#include "vsock/units.h"

namespace vsock {

// SO_VM_SOCKETS_BUFFER_SIZE and its bounds, in bytes (linux/vm_sockets.h).
struct StreamBufferSize {
  uint64_t size = 262144;
  uint64_t min = 128;
  uint64_t max = 262144;

  // What is announced of it, 5.10.6.3: a header has 32 bits for it.
  uint32_t BufAlloc() const {
    return static_cast<uint32_t>(std::min<uint64_t>(size, 0xffffffff));
  }
};

struct Listener {
  uint32_t backlog;
  std::deque<SocketId> queue;  // established, not accepted
};

struct DatagramPart {
  uint32_t shutdown = 0;
  SendBuffer send_buffer;
  DatagramQueue receive_queue;
};

// Messages and payload bytes between an application and its socket.
struct SocketCounters {
  uint64_t sent_messages = 0;
  uint64_t sent_bytes = 0;
  uint64_t received_messages = 0;
  uint64_t received_bytes = 0;  // taken by the application
  uint64_t arrived_bytes = 0;   // accepted from below
};

// What most messages look at lies together at the beginning: with thousands of
// sockets none is in the cache, and each costs the lines that it spreads over.
struct Socket {
  SocketId id;
  Type type = Type::kStream;
  bool user_closed = false;    // kept only until charges and handshakes end
  bool answer_queued = false;  // a CREDIT_UPDATE to a request, not sent yet
  bool auto_bound = false;
  uint32_t waiting = 0;         // events its user sleeps for
  uint32_t low_water = 1;       // SO_RCVLOWAT
  std::optional<Port> port;     // once bound
  PacketPtr in_hand;            // admitted and copied, not handed over
  std::optional<Address> peer;  // once connected

  // At most one of datagram, connection and listener is there: a stream socket
  // has none of them before it connects or listens.
  std::optional<DatagramPart> datagram;
  SocketCounters counters;
  std::optional<Connection> connection;
  std::optional<Listener> listener;

  StreamBufferSize buffer_size;
  SocketId accepted_from;  // listener whose queue still holds it
  std::optional<Instant> deadline;
};

}  // namespace vsock

#endif  // VSOCK_SOCKET_H_
