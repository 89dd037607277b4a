#include "tests/support/stream_ends.h"

#include "virtqueue/check.h"

namespace vsock {

std::vector<std::byte> Pattern(uint32_t len, uint32_t seed) {
  std::vector<std::byte> bytes(len);
  uint32_t state = seed * 2654435761u + 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = std::byte(state >> 24);
  }
  return bytes;
}

void End::MustSend(uint32_t len) const {
  VSOCK_CHECK(Send(len).accepted == len);
}

void End::SendBytes(const std::vector<std::byte>& bytes) const {
  for (size_t sent = 0; sent < bytes.size();) {
    const SendResult result =
        sockets->Send(id, {.data = bytes.data() + sent,
                           .len = static_cast<uint32_t>(bytes.size() - sent)});
    VSOCK_CHECK(result.status.ok() && result.blocked == Blocked::kNo);
    sent += result.accepted;
  }
}

std::vector<std::byte> End::Read(uint32_t max) const {
  std::vector<std::byte> bytes(max);
  bytes.resize(sockets->Receive(id, bytes.data(), max).bytes);
  return bytes;
}

SocketId Listen(VsockPair& pair, Side side, Port port, uint32_t backlog) {
  Transport& sockets = pair.sockets(side);
  const SocketId listener = *sockets.Open(Type::kStream);
  VSOCK_CHECK(sockets.Bind(listener, port).ok());
  VSOCK_CHECK(sockets.Listen(listener, backlog).ok());
  return listener;
}

End BeginConnect(VsockPair& pair, Side client, Port port) {
  Transport& sockets = pair.sockets(client);
  const SocketId id = *sockets.Open(Type::kStream);
  const Address to = pair.address(Other(client), port);
  VSOCK_CHECK(sockets.Connect(id, to, pair.now()).ok());
  return {&sockets, id};
}

Ends Connect(VsockPair& pair, Side client) {
  Transport& server = pair.sockets(Other(client));
  const SocketId listener = Listen(pair, Other(client));
  const End end = BeginConnect(pair, client);
  pair.Run();
  const Ends ends = {end, {&server, *server.Accept(listener)}};
  VSOCK_CHECK(server.Close(listener, pair.now()).ok());
  return ends;
}

void Close(VsockPair& pair, const End& end) {
  VSOCK_CHECK(end.sockets->Close(end.id, pair.now()).ok());
}

}  // namespace vsock
