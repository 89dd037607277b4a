// bsd_unix_rules.h: AF_UNIX buffers as macOS and the BSDs have them.
//
// Source: xnu and FreeBSD, uipc_usrreq.c and uipc_socket.c; unix(4) of FreeBSD.
//   - A stream's bytes are appended to the reader's buffer at once, whatever
//     its SO_RCVBUF; what is unread there is taken off the writer's space:
//     SO_SNDBUF of the writer is the whole window (macOS, FreeBSD until 14).
//     FreeBSD 15 bounds it by SO_RCVBUF of the reader instead.
//   - A waiting writer goes on when 2048 bytes are free, or its last bytes fit.
//     A read returns its space when the call ends, and always wakes a writer.
//   - SO_SNDBUF of a datagram socket bounds a message, SO_RCVBUF the queue,
//     with 16 bytes of address a datagram. A full queue is ENOBUFS; nobody
//     waits.
// Defaults: macOS: 8192 and 8192 (stream), 2048 and 4096 (datagram).
// Left out: limits on mbufs (sb_mbmax), kern.ipc.maxsockbuf.

#ifndef SIM_PEERS_BSD_UNIX_RULES_H_
#define SIM_PEERS_BSD_UNIX_RULES_H_

#include <cstdint>
#include <optional>

#include "sim/peers/unix_rules.h"
#include "sim/scenario.pb.h"

namespace sim {

class BsdUnixRules final : public UnixRules {
 public:
  explicit BsdUnixRules(const Scenario::Unix& knobs)
      : window_(knobs.bsd_window()) {}

  uint32_t SendBuffer(Type type, std::optional<uint32_t> asked,
                      const Scenario::Kernel& kernel) const override;
  uint32_t ReceiveBuffer(Type type, std::optional<uint32_t> asked,
                         const Scenario::Kernel& kernel) const override;
  UnixPiece StreamPiece(const UnixView& view, uint32_t left) const override;
  UnixVerdict Admit(const UnixView& view, uint32_t bytes) const override;
  UnixPiece Datagram(uint32_t bytes) const override;
  bool WakesWriter(const UnixView&) const override { return true; }
  bool QueueHasRoom(const UnixView&) const override { return true; }
  bool ReadsByPiece() const override { return false; }

 private:
  const Scenario::Unix::BsdWindow window_;
};

}  // namespace sim

#endif  // SIM_PEERS_BSD_UNIX_RULES_H_
