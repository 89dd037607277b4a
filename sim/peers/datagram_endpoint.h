// datagram_endpoint.h: the datagram sockets of one machine, without what
// carries them.
//
// Ports, receive queues, charges, and who sleeps for what: what UDP and VMCI
// have in common. Source: Linux net/core/sock.c. SO_SNDBUF and SO_RCVBUF are
// charged in memory, test before charge, so one datagram may overshoot; what
// comes to a full receive queue is dropped and the sender is not told.
// Trust: payloads are the peer's; nothing here looks into them.
// Left out: connected sockets, multicast, SO_REUSEPORT, pending errors.
//
// A layer that charges nothing for sending never calls Charge; its sockets are
// always writable. Nothing here blocks or calls back.

#ifndef SIM_PEERS_DATAGRAM_ENDPOINT_H_
#define SIM_PEERS_DATAGRAM_ENDPOINT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "vsock/packet.h"
#include "vsock/send_buffer.h"
#include "vsock/transport.h"
#include "vsock/truesize.h"
#include "vsock/units.h"

namespace sim {

// As it lies in a receive queue.
struct Datagram {
  vsock::Address from;
  uint32_t bytes = 0;   // of payload
  uint32_t charge = 0;  // against the receiver's SO_RCVBUF
  absl::InlinedVector<std::byte, vsock::kStampBytes> kept;  // of the payload
};

class DatagramEndpoint {
 public:
  // When a datagram is dropped, by what is charged before it.
  enum class ReceiveTest {
    kBelowLimit,  // at the limit: sock_queue_rcv_skb
    kUpToLimit,   // above the limit: __udp_enqueue_schedule_skb
  };

  struct Options {
    vsock::Cid cid;
    vsock::SocketBufferLimits send_buffer{.floor = vsock::kSendBufferFloor};
    vsock::SocketBufferLimits receive_buffer{.floor =
                                                 vsock::kReceiveBufferFloor};
    ReceiveTest receive_test = ReceiveTest::kBelowLimit;
    uint32_t first_ephemeral = 32768;  // ip_local_port_range
    uint32_t last_ephemeral = 60999;
  };

  enum class Verdict { kQueued, kNoSocket, kReceiveBufferFull };

  // Datagrams that came to a socket, and what became of them.
  struct Counters {
    uint64_t queued = 0;
    uint64_t read = 0;
    uint64_t unread = 0;  // of a socket that was closed
  };

  explicit DatagramEndpoint(const Options& options) : options_(options) {}

  vsock::SocketId Open();
  // Port 0 picks an ephemeral one. Errors: EADDRINUSE.
  absl::Status Bind(vsock::SocketId id, uint32_t port);
  // The charge of what is still below stays until it is released. Calls
  // `unread` for each datagram that nobody will read. Errors: EBADF.
  absl::Status Close(vsock::SocketId id,
                     absl::FunctionRef<void(const Datagram&)> unread);
  vsock::Address LocalAddress(vsock::SocketId id) const;

  // As setsockopt has it: capped, doubled, floored.
  void SetSendBuffer(vsock::SocketId id, uint32_t value);
  void SetReceiveBuffer(vsock::SocketId id, uint32_t value);

  // Sending: SO_SNDBUF, and what is alive below.
  const vsock::SendBuffer& send_buffer(vsock::SocketId id) const {
    return At(id).send_buffer;
  }
  void Charge(vsock::SocketId id, uint32_t bytes) {
    At(id).send_buffer.Charge(bytes);
  }
  void Release(vsock::SocketId id, uint32_t bytes);
  uint64_t Charged() const;  // of all sockets together

  // Receiving.
  Verdict Deliver(vsock::Port to, Datagram datagram);
  // Bytes the next Receive(max) would copy.
  uint32_t Readable(vsock::SocketId id, uint32_t max) const;
  // The oldest datagram, cut at `max`; its kept bytes go to `out`, unless that
  // is null. EAGAIN is would_block.
  vsock::ReceiveResult Receive(vsock::SocketId id, std::byte* out,
                               uint32_t max);

  // Readiness: kReadable and kWritable of vsock/connection.h.
  bool IsReady(vsock::SocketId id, uint32_t events) const;
  // True: one of `events` holds already and nothing was noted.
  bool WaitFor(vsock::SocketId id, uint32_t events);
  // Calls `wake` for each sleeper to be woken, in order, once; says how many.
  uint32_t TakeWakes(absl::FunctionRef<void(vsock::SocketId)> wake);

  const Counters& counters() const { return counters_; }
  uint64_t in_queues() const {
    return counters_.queued - counters_.read - counters_.unread;
  }

 private:
  struct Socket {
    std::optional<vsock::Port> port;
    bool open = true;
    vsock::SendBuffer send_buffer;
    uint32_t receive_limit;
    uint64_t receive_charged = 0;
    std::deque<Datagram> queue;
    uint32_t awaited = 0;  // events its sleeper waits for
  };

  // Ids count from 1: the socket's place is the id less one.
  Socket& At(vsock::SocketId id) { return sockets_[id.value() - 1]; }
  const Socket& At(vsock::SocketId id) const {
    return sockets_[id.value() - 1];
  }
  bool IsOpen(vsock::SocketId id) const {
    return id.value() >= 1 && id.value() <= sockets_.size() && At(id).open;
  }
  std::optional<uint32_t> FreeEphemeral();
  bool Admits(const Socket& socket) const;
  void WakeUp(vsock::SocketId id, uint32_t event);

  const Options options_;
  std::deque<Socket> sockets_;
  absl::flat_hash_map<uint32_t, vsock::SocketId> ports_;
  uint32_t next_ephemeral_ = 0;  // beyond the first
  std::vector<vsock::SocketId> wakes_;
  Counters counters_;
};

}  // namespace sim

#endif  // SIM_PEERS_DATAGRAM_ENDPOINT_H_
