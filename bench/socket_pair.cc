#include "bench/socket_pair.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "virtqueue/check.h"

namespace bench {

SocketPair::SocketPair(int type) {
  VSOCK_CHECK(socketpair(AF_UNIX, type, /*protocol=*/0, fds_) == 0);
}

SocketPair::~SocketPair() {
  close(fds_[0]);
  close(fds_[1]);
}

uint32_t SocketPair::SetSendBuffer(uint32_t bytes) {
  constexpr uint32_t kMost = std::numeric_limits<int>::max() / 2;
  const int asked = static_cast<int>(std::min(bytes, kMost));
  VSOCK_CHECK(
      setsockopt(sender(), SOL_SOCKET, SO_SNDBUF, &asked, sizeof(asked)) == 0);
  int granted = 0;
  socklen_t size = sizeof(granted);
  VSOCK_CHECK(getsockopt(sender(), SOL_SOCKET, SO_SNDBUF, &granted, &size) ==
              0);
  return static_cast<uint32_t>(granted);
}

// The sender's own shutdown is not told to a datagram receiver.
void SocketPair::EndSending() { shutdown(receiver(), SHUT_RD); }

}  // namespace bench
