// tap_sender.h: sends frames over a UNIX stream socket so that framing
// survives.
//
// Source: passt, tap.c: one sendmsg for all frames, which does not block; a
// frame that was cut short is completed by a blocking write. Frames of which
// nothing was taken passt drops; here the sender waits and sends them again,
// so that every frame that was paid for arrives.
//
// Trust: the socket is the caller's; any error but a full buffer is our bug.

#ifndef BENCH_TAP_SENDER_H_
#define BENCH_TAP_SENDER_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace bench {

class TapSender {
 public:
  // `fd` outlives this.
  explicit TapSender(int fd) : fd_(fd) {}

  // Sends all of `parts`, which it cuts from the front as they go. Frames are
  // of `frame_bytes` each.
  void Send(absl::Span<iovec> parts, size_t frame_bytes);

  uint64_t calls() const { return calls_; }              // sendmsg and write
  uint64_t completions() const { return completions_; }  // of cut frames
  uint64_t waits() const { return waits_; }              // for room

 private:
  size_t SendSome(absl::Span<const iovec> parts);
  void Complete(absl::Span<iovec>& parts, size_t missing);
  void AwaitRoom();

  const int fd_;
  uint64_t calls_ = 0;
  uint64_t completions_ = 0;
  uint64_t waits_ = 0;
};

// Removes `bytes` from the front of `parts`.
void CutFront(absl::Span<iovec>& parts, size_t bytes);

}  // namespace bench

#endif  // BENCH_TAP_SENDER_H_
