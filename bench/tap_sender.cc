#include "bench/tap_sender.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "virtqueue/check.h"

namespace bench {

void CutFront(absl::Span<iovec>& parts, size_t bytes) {
  while (bytes > 0) {
    iovec& front = parts.front();
    const size_t cut = std::min(bytes, front.iov_len);
    front.iov_base = static_cast<std::byte*>(front.iov_base) + cut;
    front.iov_len -= cut;
    bytes -= cut;
    if (front.iov_len == 0) parts.remove_prefix(1);
  }
}

void TapSender::Send(absl::Span<iovec> parts, size_t frame_bytes) {
  while (!parts.empty()) {
    const size_t sent = SendSome(parts);
    if (sent == 0) {
      AwaitRoom();
      continue;
    }
    CutFront(parts, sent);
    const size_t cut = sent % frame_bytes;
    if (cut != 0) Complete(parts, frame_bytes - cut);
  }
}

size_t TapSender::SendSome(absl::Span<const iovec> parts) {
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  ++calls_;
  const ssize_t sent = sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<size_t>(sent);
  VSOCK_CHECK(errno == EAGAIN || errno == EINTR);
  return 0;
}

// `missing` bytes are left of a frame: they go before anything else does.
void TapSender::Complete(absl::Span<iovec>& parts, size_t missing) {
  ++completions_;
  while (missing > 0) {
    const iovec front = parts.front();
    ++calls_;
    const ssize_t sent = send(fd_, front.iov_base,
                              std::min(missing, front.iov_len), MSG_NOSIGNAL);
    VSOCK_CHECK(sent > 0 || errno == EINTR);
    if (sent < 0) continue;
    CutFront(parts, static_cast<size_t>(sent));
    missing -= static_cast<size_t>(sent);
  }
}

void TapSender::AwaitRoom() {
  ++waits_;
  pollfd writable = {.fd = fd_, .events = POLLOUT, .revents = 0};
  VSOCK_CHECK(poll(&writable, 1, /*timeout=*/-1) >= 0 || errno == EINTR);
}

}  // namespace bench
