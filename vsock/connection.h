// connection.h: one end of one stream connection.
//
// Spec: virtio 1.3, 5.10.6.3 (credit), 5.10.6.4 (receive) and 5.10.6.5
// (stream sockets). What a state does with a packet the text is silent about
// follows Linux, with one difference: an RST is never answered.
// Trust: every packet comes from the peer. Nothing here indexes by its fields.
// Left out: seqpacket messages; zero copy; SO_LINGER.

#ifndef VSOCK_CONNECTION_H_
#define VSOCK_CONNECTION_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "vsock/credit.h"
#include "vsock/packet.h"

namespace vsock {

// What a sleeping user of a socket can wait for, as bits.
inline constexpr uint32_t kReadable = 1;
inline constexpr uint32_t kWritable = 2;
inline constexpr uint32_t kConnected = 4;
inline constexpr uint32_t kAcceptable = 8;
inline constexpr uint32_t kAllEvents = 15;

// What bounds a stream's receive queue.
enum class ReceiveLimit {
  kBytes,             // payload within buf_alloc, Linux until May 2026
  kBytesAndOverhead,  // and 576 bytes a packet within buf_alloc, since then
};

class Connection {
 public:
  //
  //   Connect()            Accept()
  //      |                    |
  //  kConnecting --RESPONSE-> kEstablished --Close()--> kClosing
  //      |                    |                            |
  //      +----RST, refusal----+--RST, both hints, Close()--+-> kClosed
  //
  // In kClosing only an RST, or time, ends it: until then the peer may hold the
  // flow, and an RST of its own may be under way.
  enum class State {
    kConnecting,   // REQUEST sent, nothing heard
    kEstablished,  // payload flows, perhaps in one direction only
    kClosing,      // closed here; the peer owes an RST
    kClosed,       // over; what was received can still be read
  };

  enum class Error { kNone, kReset, kProtocol, kNoBuffers, kTimedOut };

  // What the owner owes after a packet.
  struct [[nodiscard]] Reaction {
    Op reply = Op::kInvalid;  // kInvalid: none
    uint32_t events = 0;      // that may have come true
    bool unexpected = false;  // not lawful in this state; was ignored
    bool discarded = false;   // payload that nobody will read
  };

  Connection(State state, uint32_t buf_alloc, ReceiveLimit limit)
      : state_(state), limit_(limit), credit_(buf_alloc) {}

  // Takes one packet of this flow.
  Reaction OnPacket(PacketPtr packet);

  // Moves up to `max` bytes to `out` (none are written while payloads are
  // elided or `out` is null) and returns how many.
  uint32_t Read(std::byte* out, uint32_t max);

  // The hints this side gives, of an open connection. Returns what to send:
  // SHUTDOWN, or RST if the peer has given both and is owed that.
  Op ShutDown(uint32_t hints);

  // The application is done. Returns what to send: SHUTDOWN (then await RST),
  // RST, or nothing (kInvalid).
  Op Close();

  // The close or connect timer ran out. Returns what to send.
  Op TimeOut();

  // Payload of this flow was lost below. Returns what to send.
  Op FailForMemory();

  // The peer broke a rule of the flow. Returns what to send.
  Op FailForProtocol();

  bool CanRead(uint32_t low_water) const {
    return credit_.rx_bytes() >= low_water || AtEnd();
  }
  // Nothing more will ever be readable beyond what is queued.
  bool AtEnd() const {
    return state_ == State::kClosed || (shutdown_ & kShutdownReceive) != 0 ||
           (peer_shutdown_ & kShutdownSend) != 0;
  }
  // A send fails for good: EPIPE.
  bool Broken() const {
    return state_ == State::kClosing || state_ == State::kClosed ||
           (shutdown_ & kShutdownSend) != 0 ||
           (peer_shutdown_ & kShutdownReceive) != 0;
  }

  State state() const { return state_; }
  // It was established, and ended before this side closed.
  bool ended_when_open() const { return ended_when_open_; }
  Error error() const { return error_; }
  // The same as a caller sees it; OK without one.
  absl::Status ErrorStatus() const;
  uint32_t shutdown() const { return shutdown_; }
  uint32_t peer_shutdown() const { return peer_shutdown_; }
  Credit& credit() { return credit_; }
  const Credit& credit() const { return credit_; }
  const PacketQueue& queue() const { return queue_; }

 private:
  Reaction OnConnecting(const Packet& packet);
  Reaction OnOpen(PacketPtr packet);
  Reaction OnRw(PacketPtr packet);
  Reaction OnShutdown(uint32_t hints);
  bool HasReader() const;
  bool WithinOverhead() const;
  bool MergeIntoLast(const Packet& packet);
  void End(Error error);

  State state_;
  ReceiveLimit limit_;
  Error error_ = Error::kNone;
  bool ended_when_open_ = false;
  uint32_t shutdown_ = 0;       // our hints
  uint32_t peer_shutdown_ = 0;  // theirs, cumulative
  Credit credit_;
  PacketQueue queue_;
};

}  // namespace vsock

#endif  // VSOCK_CONNECTION_H_
