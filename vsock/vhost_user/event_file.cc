#include "vsock/vhost_user/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace vsock::vhost_user {

absl::Status MakeNonblocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a descriptor of no use: ", std::strerror(errno)));
}

bool TakeEvents(int fd) {
  uint64_t count;
  const ssize_t got = read(fd, &count, sizeof(count));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void SignalEvent(int fd) {
  const uint64_t one = 1;
  // Whoever is not there is not notified.
  [[maybe_unused]] const ssize_t put = write(fd, &one, sizeof(one));
}

}  // namespace vsock::vhost_user
