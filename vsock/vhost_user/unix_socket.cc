#include "vsock/vhost_user/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {
namespace {

constexpr int kBacklog = 128;
constexpr size_t kControlBytes = CMSG_SPACE(kMaxRegions * sizeof(int));

absl::Status SystemError(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
}

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {.sun_family = AF_UNIX};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the path of a socket has 1 to ",
                     sizeof(address.sun_path) - 1, " characters"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

FileDescriptor NewSocket() {
  return FileDescriptor(
      socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// Removes a socket at which nobody listens any more.
void RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const FileDescriptor probe = NewSocket();
  if (connect(probe.get(), Generic(address), sizeof(address)) != 0 &&
      errno == ECONNREFUSED) {
    unlink(path.c_str());
  }
}

// What a call of recvmsg or sendmsg came to.
Moved Result(ssize_t done, absl::string_view call) {
  Moved moved;
  if (done >= 0) {
    moved.bytes = static_cast<size_t>(done);
  } else if (errno == EAGAIN || errno == EINTR) {
    moved.would_block = true;
  } else {
    moved.status = SystemError(call);
  }
  return moved;
}

void TakeFiles(const msghdr& message, std::vector<FileDescriptor>& files) {
  // CMSG_NXTHDR takes a header that is not const.
  auto& head = const_cast<msghdr&>(message);
  for (cmsghdr* control = CMSG_FIRSTHDR(&head); control != nullptr;
       control = CMSG_NXTHDR(&head, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(fd));
      files.emplace_back(fd);
    }
  }
}

}  // namespace

absl::StatusOr<UnixListener> UnixListener::Create(const std::string& path) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  RemoveStale(path, *address);
  FileDescriptor file = NewSocket();
  if (!file.is_open()) return SystemError("socket");
  if (bind(file.get(), Generic(*address), sizeof(*address)) != 0) {
    return SystemError(path);
  }
  UnixListener listener(std::move(file), path);
  if (listen(listener.fd(), kBacklog) != 0) return SystemError(path);
  return listener;
}

UnixListener::~UnixListener() {
  if (file_.is_open()) unlink(path_.c_str());
}

FileDescriptor UnixListener::Accept() {
  return FileDescriptor(
      accept4(file_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

absl::StatusOr<FileDescriptor> ConnectUnix(const std::string& path) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  FileDescriptor file = NewSocket();
  if (!file.is_open()) return SystemError("socket");
  if (connect(file.get(), Generic(*address), sizeof(*address)) != 0) {
    return SystemError(path);
  }
  return file;
}

Moved ReadSome(int fd, absl::Span<std::byte> into) {
  const ssize_t done = recv(fd, into.data(), into.size(), 0);
  Moved moved = Result(done, "recv");
  moved.ended = done == 0 && !into.empty();
  return moved;
}

Moved ReadWithFiles(int fd, absl::Span<std::byte> into, size_t most_files,
                    std::vector<FileDescriptor>& files) {
  alignas(cmsghdr) std::byte control[kControlBytes];
  iovec piece = {.iov_base = into.data(), .iov_len = into.size()};
  msghdr message = {.msg_iov = &piece,
                    .msg_iovlen = 1,
                    .msg_control = control,
                    .msg_controllen = sizeof(control)};
  const ssize_t done = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  Moved moved = Result(done, "recvmsg");
  if (done < 0) return moved;
  TakeFiles(message, files);
  moved.ended = done == 0 && !into.empty();
  if ((message.msg_flags & MSG_CTRUNC) != 0 || files.size() > most_files) {
    moved.status = absl::InvalidArgumentError(
        "vhost-user: more file descriptors than any message has");
  }
  return moved;
}

Moved WriteSome(int fd, absl::Span<const std::byte> from) {
  return Result(send(fd, from.data(), from.size(), MSG_NOSIGNAL), "send");
}

Moved WriteWithFiles(int fd, absl::Span<const std::byte> from,
                     absl::Span<const int> files) {
  std::vector<std::byte> control(CMSG_SPACE(files.size() * sizeof(int)));
  iovec piece = {.iov_base = const_cast<std::byte*>(from.data()),
                 .iov_len = from.size()};
  msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (!files.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(head), files.data(), files.size() * sizeof(int));
  }
  return Result(sendmsg(fd, &message, MSG_NOSIGNAL), "sendmsg");
}

}  // namespace vsock::vhost_user
