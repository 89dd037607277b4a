#include "tests/real_guest/unix_stream.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "virtqueue/check.h"

namespace vsock::real_guest {
namespace {

constexpr size_t kPiece = 65536;
constexpr int kBacklog = 128;

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  VSOCK_CHECK(path.size() < sizeof(address.sun_path));
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

int NewSocket() {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  VSOCK_CHECK(fd >= 0);
  return fd;
}

}  // namespace

UnixStream::UnixStream(int fd) : fd_(fd) {
  const timeval patience = {.tv_sec = 30, .tv_usec = 0};
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    VSOCK_CHECK(
        setsockopt(fd_, SOL_SOCKET, option, &patience, sizeof(patience)) == 0);
  }
}

UnixStream::~UnixStream() {
  if (fd_ >= 0) close(fd_);
}

std::optional<UnixStream> UnixStream::To(const std::string& path) {
  UnixStream stream(NewSocket());
  const sockaddr_un address = AddressOf(path);
  if (connect(stream.fd_, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) != 0) {
    return std::nullopt;
  }
  return stream;
}

bool UnixStream::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    Note(sent);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string UnixStream::Read(size_t max) {
  std::string bytes(max, '\0');
  const ssize_t got = recv(fd_, bytes.data(), max, 0);
  Note(got);
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::string UnixStream::ReadExactly(size_t bytes) {
  std::string all;
  while (all.size() < bytes) {
    const std::string more = Read(std::min(bytes - all.size(), kPiece));
    if (more.empty()) break;
    all += more;
  }
  return all;
}

std::string UnixStream::ReadToEnd() {
  return ReadExactly(std::string().max_size());
}

std::string UnixStream::ReadLine() {
  std::string line;
  for (std::string byte = Read(1); !byte.empty() && byte != "\n";
       byte = Read(1)) {
    line += byte;
  }
  return line;
}

void UnixStream::ShutDownSend() { shutdown(fd_, SHUT_WR); }

void UnixStream::Note(ssize_t result) {
  late_ |= result < 0 && errno == EAGAIN;
}

int ListenOn(const std::string& path) {
  const int fd = NewSocket();
  const sockaddr_un address = AddressOf(path);
  unlink(path.c_str());
  VSOCK_CHECK(bind(fd, reinterpret_cast<const sockaddr*>(&address),
                   sizeof(address)) == 0);
  VSOCK_CHECK(listen(fd, kBacklog) == 0);
  return fd;
}

}  // namespace vsock::real_guest
