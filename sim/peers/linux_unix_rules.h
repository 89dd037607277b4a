// linux_unix_rules.h: AF_UNIX buffers as Linux has them.
//
// Source: Linux net/unix/af_unix.c and net/core/sock.c.
//   - SO_SNDBUF bounds what was written and not yet read, by the memory of the
//     socket buffers (truesize). The test comes before the charge, so the last
//     one may overshoot. The charge returns when a socket buffer has been read
//     to its end. A waiting writer wakes at a quarter of the limit.
//   - A stream is cut into pieces of at most sndbuf/2 - 64 bytes and of at
//     most one page's head and 32 KiB of pages.
//   - A datagram must be 32 bytes smaller than sndbuf. Its sender also waits
//     while more than max_dgram_qlen datagrams wait unread.
//   - SO_RCVBUF has no effect.
// Left out: the head cache of kernels from 6.3 on (see vsock/truesize.h); a
// datagram that waits for a place in the queue is copied when it goes, not
// before.

#ifndef SIM_PEERS_LINUX_UNIX_RULES_H_
#define SIM_PEERS_LINUX_UNIX_RULES_H_

#include <cstdint>
#include <optional>

#include "sim/peers/unix_rules.h"
#include "sim/scenario.pb.h"

namespace sim {

class LinuxUnixRules final : public UnixRules {
 public:
  explicit LinuxUnixRules(const Scenario::Unix& knobs)
      : max_dgram_qlen_(knobs.max_dgram_qlen()) {}

  uint32_t SendBuffer(Type type, std::optional<uint32_t> asked,
                      const Scenario::Kernel& kernel) const override;
  uint32_t ReceiveBuffer(Type type, std::optional<uint32_t> asked,
                         const Scenario::Kernel& kernel) const override;
  UnixPiece StreamPiece(const UnixView& view, uint32_t left) const override;
  UnixVerdict Admit(const UnixView& view, uint32_t bytes) const override;
  UnixPiece Datagram(uint32_t bytes) const override;
  bool WakesWriter(const UnixView& view) const override {
    return 4 * view.charged <= view.send_buffer;
  }
  bool QueueHasRoom(const UnixView& view) const override {
    return view.queued <= max_dgram_qlen_;
  }
  bool ReadsByPiece() const override { return true; }

 private:
  const uint64_t max_dgram_qlen_;
};

}  // namespace sim

#endif  // SIM_PEERS_LINUX_UNIX_RULES_H_
