// transport.h: one AF_VSOCK endpoint: sockets above, packets below.
//
// *Transport* in the AF_VSOCK sense (not PCI or MMIO). The same class serves
// the guest, above driver.h, and the host, above device.h.
//
// Spec: virtio 1.3, 5.10.6; PROPOSED datagrams by docs/proposals.md.
// Trust: callers get a Status that begins with the errno Linux gives. Packets
// from below are the peer's and may say anything; each is judged here, once.
// Left out: seqpacket, the event queue.
//
// An endpoint with the context id "local" is a loopback: it reaches itself, by
// the list that its router names for that id, and nobody else.
//
// Nothing here blocks, and nothing calls back. A call that would block says
// so; WaitFor notes what its user sleeps for, and whoever came true since is
// in TakeWakes. Packets to be sent join the send list that the router names.

#ifndef VSOCK_TRANSPORT_H_
#define VSOCK_TRANSPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vsock/drop.h"
#include "vsock/features.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/policy/drop_policy.h"
#include "vsock/policy/proposal.h"
#include "vsock/router.h"
#include "vsock/socket.h"
#include "vsock/socket_table.h"
#include "vsock/truesize.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace vsock {

// What an application hands to send(2) or sendto(2).
struct Message {
  const std::byte* data = nullptr;  // KeptBytes(len) of it; null: zeros
  uint32_t len = 0;                 // bytes
  std::optional<Address> to;        // datagrams; else the connected peer
  bool continued = false;           // the rest of a message: no new system call
};

enum class Blocked { kNo, kCredit, kSendBuffer };

struct [[nodiscard]] SendResult {
  absl::Status status;             // the call failed for good
  Blocked blocked = Blocked::kNo;  // EAGAIN, and what is missing
  uint32_t accepted = 0;           // payload bytes
  Work work;
};

struct [[nodiscard]] ReceiveResult {
  absl::Status status;         // the call failed for good
  bool would_block = false;    // EAGAIN
  bool end_of_stream = false;  // no more will come
  uint32_t bytes = 0;          // given to the application
  uint32_t message_bytes = 0;  // the whole datagram
  bool truncated = false;      // MSG_TRUNC: the rest of it is gone
  Address from;
  Work work;
};

struct Wake {
  SocketId socket;
  uint32_t events;  // of those waited for, what may have come true
};

class Transport {
 public:
  struct Options {
    Cid cid;
    Features features;  // negotiated
    Proposal proposal = kLinux2023;
    ReceiveLimit receive_limit = ReceiveLimit::kBytes;
    // Linux up to 6.1 at least: closing a socket whose connection the peer has
    // ended sends one more RST, which nobody waits for.
    bool closing_resets_again = false;
    StreamBufferSize stream_buffer;
    SocketBufferLimits datagram_send_buffer{.floor = kSendBufferFloor};
    SocketBufferLimits datagram_receive_buffer{.floor = kReceiveBufferFloor};
    Nanos connect_timeout{2'000'000'000};
    Nanos close_timeout{8'000'000'000};
  };

  // Packets by op, RW split by type.
  struct Counters {
    std::array<uint64_t, 8> sent = {};      // stream packets by Op
    std::array<uint64_t, 8> received = {};  // stream packets by Op
    uint64_t packets_sent = 0;              // of both types
    uint64_t reads = 0;                     // calls that took something
    uint64_t stream_bytes_sent = 0;         // payload
    uint64_t stream_bytes_received = 0;     // payload, whatever became of it
    uint64_t datagrams_sent = 0;
    uint64_t datagrams_received = 0;  // of these, lost here or read:
    uint64_t datagrams_lost = 0;
    uint64_t datagrams_read = 0;
    // What must never happen: an RST answered, and a packet other than a
    // REQUEST before the peer has acknowledged a connection.
    uint64_t rst_answered = 0;
    uint64_t premature = 0;
    // A REQUEST for a flow that is still held here: the peer's fault.
    uint64_t reopened = 0;
  };

  // All four outlive the transport.
  Transport(const Options& options, PacketPool& pool, const Router& router,
            DropPolicy& drop_policy);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Life of a socket. Errors: EINVAL (type not negotiated, wrong kind or
  // state), EBADF, EADDRINUSE, ENODEV (no way to that context id).
  absl::StatusOr<SocketId> Open(Type type);
  absl::Status Bind(SocketId id, Port port);  // kPortAny picks one
  absl::Status Listen(SocketId id, uint32_t backlog);
  // A stream begins its handshake (kConnected tells the end of it, then
  // ConnectStatus the outcome); a datagram socket gets its default peer and
  // from then on hears only it.
  absl::Status Connect(SocketId id, Address peer, Instant now);
  absl::Status ConnectStatus(SocketId id) const;
  absl::StatusOr<SocketId> Accept(SocketId listener);  // EAGAIN
  // For a user that answers for ports that no socket has, as one that passes
  // connections on does: from now on up to `most` requests for them are held
  // until taken, in order, and then admitted or rejected. EADDRINUSE: the flow
  // of the request is open already.
  void HoldRequests(uint32_t most) { most_held_ = most; }
  std::optional<VsockHdr> TakeRequest();
  absl::StatusOr<SocketId> Admit(const VsockHdr& request);
  void Reject(const VsockHdr& request) { EmitReset(request); }
  uint32_t most_held() const { return most_held_; }
  absl::Status ShutDown(SocketId id, uint32_t hints);
  absl::Status Close(SocketId id, Instant now);

  // A send in two halves, as a kernel does it: admission, charge and copy;
  // then hand-over to the send list. Send does both. Errors: EMSGSIZE, EPIPE,
  // ENOTCONN (no destination), ENODEV, ENOBUFS (payload memory), EINVAL.
  SendResult BeginSend(SocketId id, const Message& message);
  void EndSend(SocketId id);
  SendResult Send(SocketId id, const Message& message);

  // Receives at most `max` bytes, of one datagram or of the stream, into `out`
  // (kept bytes only; may be null). May put a CREDIT_UPDATE on the send list.
  ReceiveResult Receive(SocketId id, std::byte* out, uint32_t max);
  // Bytes the next Receive(max) would copy.
  uint32_t Readable(SocketId id, uint32_t max) const;

  // Options. Stream: SO_VM_SOCKETS_BUFFER_{SIZE,MIN_SIZE,MAX_SIZE} and
  // SO_RCVLOWAT; datagram: SO_SNDBUF and SO_RCVBUF, doubled as Linux does.
  absl::Status SetBufferSize(SocketId id, StreamBufferSize size);
  absl::Status SetLowWater(SocketId id, uint32_t bytes);
  absl::Status SetSendBuffer(SocketId id, uint32_t value);
  absl::Status SetReceiveBuffer(SocketId id, uint32_t value);

  // Sleeping. True: one of `events` holds already and nothing was noted.
  bool WaitFor(SocketId id, uint32_t events);
  bool IsReady(SocketId id, uint32_t events) const;
  // Calls `visit(Wake)` for each sleeper to be woken, in order, once.
  template <typename Visitor>
  void TakeWakes(Visitor visit) {
    for (size_t i = 0; i < wakes_.size(); ++i) visit(wakes_[i]);
    wakes_.clear();
  }

  // From below: a packet addressed here, judged, queued or dropped with a
  // cause. Replies join the send list.
  Work Deliver(PacketPtr packet, Instant now);
  // From below: a packet that could not be taken for want of memory. A stream
  // loses nothing silently: it ends, and its peer gets an RST.
  Work Refuse(const VsockHdr& hdr);
  // From a user that looks at what the peer does: the connection, if it is not
  // over, ends with an RST.
  Work Reset(SocketId id);
  // From below: the layer has no more use for a packet that was sent.
  Work OnSent(const Packet& packet);

  // Time-outs: when the next is due, and handling those due by `now`.
  std::optional<Instant> NextDeadline() const;
  Work OnDeadline(Instant now);

  // Ends the life of every socket; for tear-down in any state.
  void Abort();

  Cid cid() const { return options_.cid; }
  const Options& options() const { return options_; }
  // The socket that the last call or packet was about.
  SocketId last_touched() const { return last_touched_; }
  LossLog& losses() { return losses_; }
  const Counters& counters() const { return counters_; }
  const Socket* Find(SocketId id) const { return table_.Find(id); }
  SocketTable& table() { return table_; }

 private:
  Socket* FindOpen(SocketId id);
  const Socket* FindOpen(SocketId id) const {
    return const_cast<Transport*>(this)->FindOpen(id);
  }
  SendResult BeginSend(Socket& socket, const Message& message);
  void EndSend(Socket& socket);
  SendResult BeginStreamSend(Socket& socket, const Message& message);
  SendResult BeginDatagramSend(Socket& socket, const Message& message);
  bool Leads(Cid cid) const;
  absl::StatusOr<Address> Destination(const Socket& socket,
                                      const Message& message) const;
  ReceiveResult ReceiveStream(Socket& socket, std::byte* out, uint32_t max);
  ReceiveResult ReceiveDatagram(Socket& socket, std::byte* out, uint32_t max);

  void DeliverDatagram(PacketPtr packet, Instant now);
  void LoseDatagram(DropReason reason, const VsockHdr& hdr);
  void DeliverStream(PacketPtr packet);
  void DeliverToListener(Socket& listener, const VsockHdr& hdr);
  void Establish(Socket& child, const VsockHdr& request);
  void DeliverToConnection(Socket& socket, PacketPtr packet);

  void Emit(Socket& socket, Op op, uint32_t flags = 0);
  void Answer(Socket& socket, Op op);
  void OnHandshakeOver(Socket& socket);
  void EmitReset(const VsockHdr& cause);
  Work Fail(Socket& socket, Op answer);
  void Enqueue(PacketPtr packet);
  Op CloseConnection(Connection& connection) const;
  void AnswerClose(Socket& socket, Op op, Instant now);
  void CloseStream(Socket& socket, Instant now);
  void CloseDatagram(Socket& socket);
  void SettleClosed(Socket& socket);
  void DropInHand(Socket& socket);
  void SetDeadline(Socket& socket, Instant at);
  void ClearDeadline(Socket& socket);
  void WakeUp(Socket& socket, uint32_t events);
  bool Holds(const Socket& socket, uint32_t events) const;

  const Options options_;
  PacketPool& pool_;
  const Router& router_;
  DropPolicy& drop_policy_;
  SocketTable table_;
  uint32_t most_held_ = 0;
  std::deque<VsockHdr> held_;  // requests
  std::vector<Wake> wakes_;
  absl::btree_set<std::pair<Instant, SocketId>> deadlines_;
  LossLog losses_;
  Counters counters_;
  SocketId last_touched_;
};

}  // namespace vsock

#endif  // VSOCK_TRANSPORT_H_
