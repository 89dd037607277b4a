#include "tests/real_guest/guest/stream.h"

#include <linux/vm_sockets.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tests/real_guest/guest/case.h"

namespace vsock::real_guest {
namespace {

constexpr size_t kPiece = 65536;
constexpr int kConnectSeconds = 30;  // by default two, on a busy machine few

sockaddr_vm AddressOf(unsigned cid, uint32_t port) {
  sockaddr_vm address = {};
  address.svm_family = AF_VSOCK;
  address.svm_cid = cid;
  address.svm_port = port;
  return address;
}

// What can be sent at once, perhaps nothing.
size_t SendSome(Stream& stream, std::string_view bytes) {
  const ssize_t sent = stream.TrySend(bytes.substr(0, kPiece), MSG_DONTWAIT);
  Must(sent >= 0 || errno == EAGAIN, "send");
  return static_cast<size_t>(std::max<ssize_t>(sent, 0));
}

}  // namespace

Stream::Stream() : fd_(socket(AF_VSOCK, SOCK_STREAM, 0)) {
  Must(fd_ >= 0, "socket");
  const timeval patience = {.tv_sec = kConnectSeconds, .tv_usec = 0};
  Must(setsockopt(fd_, AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &patience,
                  sizeof(patience)) == 0,
       "SO_VM_SOCKETS_CONNECT_TIMEOUT");
}

Stream Stream::To(uint32_t port) {
  Stream stream;
  Must(stream.TryConnect(port), "connect");
  return stream;
}

bool Stream::TryBind(uint32_t port) {
  const sockaddr_vm address = AddressOf(VMADDR_CID_ANY, port);
  return bind(fd_, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0;
}

bool Stream::TryConnect(uint32_t port) {
  const sockaddr_vm address = AddressOf(VMADDR_CID_HOST, port);
  return connect(fd_, reinterpret_cast<const sockaddr*>(&address),
                 sizeof(address)) == 0;
}

ssize_t Stream::TrySend(std::string_view bytes, int flags) {
  return send(fd_, bytes.data(), bytes.size(), flags | MSG_NOSIGNAL);
}

ssize_t Stream::TryRead(char* bytes, size_t max, int flags) {
  return recv(fd_, bytes, max, flags);
}

void Stream::Listen(uint32_t port) {
  Must(TryBind(port), "bind");
  Must(listen(fd_, 8) == 0, "listen");
}

Stream Stream::Accept() {
  const int fd = accept(fd_, nullptr, nullptr);
  Must(fd >= 0, "accept");
  return Stream(fd);
}

void Stream::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = TrySend(bytes);
    Must(sent > 0, "send");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string Stream::Read(size_t max) {
  std::string bytes(max, '\0');
  const ssize_t got = TryRead(bytes.data(), max);
  Must(got >= 0, "recv");
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

std::string Stream::ReadExactly(size_t bytes) {
  std::string all;
  while (all.size() < bytes) {
    const std::string more = Read(std::min(bytes - all.size(), kPiece));
    Must(!more.empty(), "end of stream came early");
    all += more;
  }
  return all;
}

std::string Stream::ReadToEnd(size_t at_a_time) {
  std::string all;
  for (;;) {
    const std::string more = Read(at_a_time);
    if (more.empty()) return all;
    all += more;
  }
}

void Stream::ShutDownSend() { Must(shutdown(fd_, SHUT_WR) == 0, "shutdown"); }

void Stream::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void Stream::SetBufferSize(uint64_t bytes) {
  for (const int option :
       {SO_VM_SOCKETS_BUFFER_MIN_SIZE, SO_VM_SOCKETS_BUFFER_MAX_SIZE,
        SO_VM_SOCKETS_BUFFER_SIZE}) {
    Must(setsockopt(fd_, AF_VSOCK, option, &bytes, sizeof(bytes)) == 0,
         "SO_VM_SOCKETS_BUFFER_SIZE");
  }
}

void Stream::SetLowWater(int bytes) {
  Must(setsockopt(fd_, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) == 0,
       "SO_RCVLOWAT");
}

bool Stream::Poll(short events, int milliseconds) const {
  pollfd waited = {.fd = fd_, .events = events, .revents = 0};
  return poll(&waited, 1, milliseconds) == 1 && (waited.revents & events) != 0;
}

std::string Exchange(Stream& stream, std::string_view bytes) {
  const size_t total = bytes.size();
  std::string back;
  std::string piece(kPiece, '\0');
  while (back.size() < total) {
    const short sending = bytes.empty() ? 0 : POLLOUT;
    Must(stream.Poll(static_cast<short>(POLLIN | sending), -1), "poll");
    if (sending != 0) bytes.remove_prefix(SendSome(stream, bytes));
    const ssize_t got =
        stream.TryRead(piece.data(), piece.size(), MSG_DONTWAIT);
    Must(got > 0 || (got < 0 && errno == EAGAIN), "recv");
    back.append(piece, 0, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  }
  return back;
}

}  // namespace vsock::real_guest
