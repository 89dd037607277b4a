#include "bench/call_probe.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "bench/probe.h"
#include "bench/socket_pair.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

constexpr uint32_t kCalls = 2000;
constexpr size_t kPieces = 16;
constexpr size_t kPieceBytes = 16;
constexpr size_t kMessageBytes = kPieces * kPieceBytes;
constexpr size_t kCopiedBytes = 32 << 20;  // in one repetition

// Keeps the compiler from leaving the copies out.
void Touch(std::byte* bytes) { asm volatile("" : : "r"(bytes) : "memory"); }

// Sends and receives one message of so many pieces.
double MessageNanos(SocketPair& sockets, size_t pieces) {
  std::array<std::byte, kMessageBytes> bytes = {};
  std::array<iovec, kPieces> parts;
  const size_t piece_bytes = kMessageBytes / pieces;
  for (size_t i = 0; i < pieces; ++i) {
    parts[i] = {&bytes[i * piece_bytes], piece_bytes};
  }
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = pieces;
  return CpuNanosPerRound(kCalls, [&] {
    VSOCK_CHECK(sendmsg(sockets.sender(), &message, 0) == kMessageBytes);
    VSOCK_CHECK(recv(sockets.receiver(), bytes.data(), bytes.size(), 0) ==
                kMessageBytes);
  });
}

}  // namespace

std::vector<double> BareCallNanos(uint32_t repetitions) {
  return Repeat(repetitions, [] {
    return CpuNanosPerRound(kCalls, [] { syscall(SYS_getppid); });
  });
}

std::vector<double> SocketCallNanos(uint32_t repetitions) {
  SocketPair sockets(SOCK_STREAM);
  return Repeat(repetitions, [&] {
    return CpuNanosPerRound(kCalls, [&] {
      std::byte byte;
      VSOCK_CHECK(recv(sockets.receiver(), &byte, 1, MSG_DONTWAIT) < 0 &&
                  errno == EAGAIN);
    });
  });
}

std::vector<double> IovecNanos(uint32_t repetitions) {
  SocketPair sockets(SOCK_STREAM);
  return Repeat(repetitions, [&] {
    const double one = MessageNanos(sockets, 1);
    return (MessageNanos(sockets, kPieces) - one) / (kPieces - 1);
  });
}

std::vector<double> CopyPicos(uint32_t repetitions, size_t block_bytes,
                              size_t set_bytes) {
  const std::vector<std::byte> from(set_bytes);
  std::vector<std::byte> to(set_bytes);
  const auto blocks = static_cast<uint32_t>(kCopiedBytes / block_bytes);
  return Repeat(repetitions, [&] {
    size_t at = 0;
    const double nanos = CpuNanosPerRound(blocks, [&] {
      std::memcpy(&to[at], &from[at], block_bytes);
      Touch(to.data());
      at = (at + block_bytes) % set_bytes;
    });
    return nanos * 1000 / static_cast<double>(block_bytes);
  });
}

}  // namespace bench
