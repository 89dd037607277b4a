// unix_inbox.h: what was written to an AF_UNIX socket and is not read yet.
//
// Invariants, looked at by Check: bytes that came are read, dropped or there;
// Little's law for the queue.

#ifndef SIM_PEERS_UNIX_INBOX_H_
#define SIM_PEERS_UNIX_INBOX_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "sim/passage.h"
#include "sim/peers/unix_rules.h"
#include "vsock/packet.h"
#include "vsock/units.h"

namespace sim {

// One socket buffer. `kept` is as much of its bytes as the run keeps.
struct UnixBuffer {
  UnixPiece piece;
  vsock::SocketId writer;  // to whom its charge returns
  uint32_t taken = 0;      // bytes read from its front
  absl::InlinedVector<std::byte, vsock::kStampBytes> kept;

  uint32_t left() const { return piece.bytes - taken; }
};

class UnixInbox {
 public:
  // What a read takes of the first socket buffer.
  struct Taken {
    uint32_t bytes = 0;
    UnixPiece piece;
    vsock::SocketId writer;
    bool finished = false;  // nothing of it is left
  };

  // What a read of `max` bytes touches.
  struct Extent {
    uint32_t bytes = 0;
    uint32_t buffers = 0;
  };

  explicit UnixInbox(std::string name) : passage_(std::move(name)) {}

  // A piece was admitted and is being copied: it has its place from now on.
  void Expect(const UnixPiece& piece);
  // It is there; or it never comes.
  void Push(UnixBuffer buffer, vsock::Instant now);
  void Forget(const UnixPiece& piece);

  bool empty() const { return queue_.empty(); }
  // Of what is there and what is expected.
  uint64_t count() const { return queue_.size() + expected_; }
  uint64_t charge() const { return charge_; }

  Extent FirstBuffer(uint32_t max) const;
  Extent Everything(uint32_t max) const;

  // At most `max` bytes of the first socket buffer, into `out` if not null.
  Taken Take(std::byte* out, uint32_t max, vsock::Instant now);
  // What is left of the first socket buffer is lost.
  Taken DropFirst(vsock::Instant now);

  const std::deque<UnixBuffer>& queue() const { return queue_; }
  absl::Status Check(vsock::Instant now) const;

 private:
  Taken Advance(uint32_t bytes, vsock::Instant now);

  std::deque<UnixBuffer> queue_;
  uint64_t expected_ = 0;  // pieces
  uint64_t charge_ = 0;
  uint64_t pushed_ = 0;  // pieces
  uint64_t bytes_in_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_dropped_ = 0;
  Passage passage_;
};

}  // namespace sim

#endif  // SIM_PEERS_UNIX_INBOX_H_
