// unix_rules.h: what SO_SNDBUF and SO_RCVBUF mean to an AF_UNIX socket.
//
// Linux and the BSDs answer differently; the sockets (unix_sockets.h) are the
// same. Rules see how full things are, never the sockets.

#ifndef SIM_PEERS_UNIX_RULES_H_
#define SIM_PEERS_UNIX_RULES_H_

#include <cstdint>
#include <optional>

#include "sim/scenario.pb.h"

namespace sim {

// Between a writer and the socket it writes to.
struct UnixView {
  uint32_t send_buffer = 0;     // the writer's SO_SNDBUF, as it took effect
  uint64_t charged = 0;         // to the writer, of what it has written
  uint32_t receive_buffer = 0;  // the reader's SO_RCVBUF, likewise
  uint64_t queued = 0;          // datagrams or pieces for the reader, unread
  uint64_t queued_charge = 0;   // of these
};

// One socket buffer's worth of a message.
struct UnixPiece {
  uint32_t bytes = 0;
  uint32_t charge = 0;     // while it is unread
  uint32_t page_runs = 0;  // contiguous pages or clusters behind its head
};

enum class UnixVerdict {
  kGo,
  kWait,    // EAGAIN
  kTooBig,  // EMSGSIZE
  kFull,    // ENOBUFS
};

class UnixRules {
 public:
  using Type = Scenario::Flow::Type;

  virtual ~UnixRules() = default;

  // The size that takes effect; `asked`: of setsockopt, if it was called.
  virtual uint32_t SendBuffer(Type type, std::optional<uint32_t> asked,
                              const Scenario::Kernel& kernel) const = 0;
  virtual uint32_t ReceiveBuffer(Type type, std::optional<uint32_t> asked,
                                 const Scenario::Kernel& kernel) const = 0;

  // What the next socket buffer takes of a stream's message with `left` bytes
  // to go; no bytes: the writer waits.
  virtual UnixPiece StreamPiece(const UnixView& view, uint32_t left) const = 0;

  // Whether a datagram may go, and what it takes.
  virtual UnixVerdict Admit(const UnixView& view, uint32_t bytes) const = 0;
  virtual UnixPiece Datagram(uint32_t bytes) const = 0;

  // Whether a writer that waits is woken, now that some of its charge has
  // returned.
  virtual bool WakesWriter(const UnixView& view) const = 0;

  // Whether another datagram may join the reader's queue.
  virtual bool QueueHasRoom(const UnixView& view) const = 0;

  // How a stream is read: socket buffer by socket buffer, each returning its
  // charge at once, or all that fits, which returns together.
  virtual bool ReadsByPiece() const = 0;
};

}  // namespace sim

#endif  // SIM_PEERS_UNIX_RULES_H_
