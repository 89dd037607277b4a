// unix_socket.h: the state of one AF_UNIX socket.

#ifndef SIM_PEERS_UNIX_SOCKET_H_
#define SIM_PEERS_UNIX_SOCKET_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/peers/unix_inbox.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "vsock/packet.h"
#include "vsock/units.h"

namespace sim {

struct UnixSocket {
  // kOpen       fresh, or a datagram socket.
  // kListening  connections wait in `backlog`.
  // kConnected  a stream with a peer.
  // kHungUp     its peer has closed; what waits can still be read.
  // kClosed     gone.
  enum class State : uint8_t {
    kOpen,
    kListening,
    kConnected,
    kHungUp,
    kClosed
  };

  bool is_stream() const { return type == Scenario::Flow::STREAM; }

  vsock::SocketId id;
  Side side = Side::kGuest;
  Scenario::Flow::Type type = Scenario::Flow::STREAM;
  vsock::Port port;
  uint32_t send_buffer = 0;     // SO_SNDBUF as it took effect
  uint32_t receive_buffer = 0;  // SO_RCVBUF likewise
  State state = State::kOpen;

  vsock::SocketId peer;                 // kConnected, kHungUp
  std::deque<vsock::SocketId> backlog;  // kListening
  uint32_t most_backlog = 0;

  UnixInbox inbox{"AF_UNIX queue"};

  // As a writer.
  uint64_t charged = 0;               // for what is unread or in hand
  std::optional<UnixBuffer> in_hand;  // between BeginSend and EndSend
  vsock::SocketId in_hand_for;        // who gets it

  // As a sleeper.
  uint32_t waits = 0;         // events
  vsock::SocketId waits_for;  // whose full queue, of a datagram sender
  std::deque<vsock::SocketId> waiters;  // for a place in this one's queue
};

}  // namespace sim

#endif  // SIM_PEERS_UNIX_SOCKET_H_
