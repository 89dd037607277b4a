// stream_ends.h: what nearly every test of streams says, in a line each.

#ifndef TESTS_SUPPORT_STREAM_ENDS_H_
#define TESTS_SUPPORT_STREAM_ENDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {

// One end of a connection.
struct End {
  Transport* sockets = nullptr;
  SocketId id;

  const Socket& socket() const { return *sockets->Find(id); }
  const Credit& credit() const { return socket().connection->credit(); }
  Connection::State state() const { return socket().connection->state(); }
  bool gone() const { return sockets->Find(id) == nullptr; }

  SendResult Send(uint32_t len) const {
    return sockets->Send(id, {.len = len});
  }
  // Sends all `len` bytes, which one packet holds and there is room for.
  void MustSend(uint32_t len) const;
  // Sends all of `bytes`, which the peer's buffer has room for.
  void SendBytes(const std::vector<std::byte>& bytes) const;
  // What there is, up to `max` bytes, in one call.
  std::vector<std::byte> Read(uint32_t max) const;
  uint32_t ReadLength(uint32_t max) const {
    return sockets->Receive(id, nullptr, max).bytes;
  }
  // Everything has been read, and no more will come.
  bool AtEnd() const { return sockets->Receive(id, nullptr, 1).end_of_stream; }
  absl::Status ShutDown(uint32_t hints) const {
    return sockets->ShutDown(id, hints);
  }
};

struct Ends {
  End client;
  End server;
};

inline constexpr Port kTestPort{10};

// Bytes in which no two stretches are alike.
std::vector<std::byte> Pattern(uint32_t len, uint32_t seed = 0);

// A listener on `side`; a client on the other one with its handshake begun.
SocketId Listen(VsockPair& pair, Side side, Port port = kTestPort,
                uint32_t backlog = 8);
End BeginConnect(VsockPair& pair, Side client, Port port = kTestPort);

// A connection, opened by `client`, to a listener of its own.
Ends Connect(VsockPair& pair, Side client = Side::kGuest);

void Close(VsockPair& pair, const End& end);

}  // namespace vsock

#endif  // TESTS_SUPPORT_STREAM_ENDS_H_
