#include "tests/support/datagram_ends.h"

#include "virtqueue/check.h"

namespace vsock {

void DatagramEnd::MustSendTo(Address to, uint32_t len) const {
  const SendResult result = SendTo(to, len);
  VSOCK_CHECK(result.status.ok() && result.blocked == Blocked::kNo);
}

void DatagramEnd::MustSendTo(Address to,
                             const std::vector<std::byte>& bytes) const {
  const SendResult result =
      sockets->Send(id, {.data = bytes.data(),
                         .len = static_cast<uint32_t>(bytes.size()),
                         .to = to});
  VSOCK_CHECK(result.status.ok() && result.blocked == Blocked::kNo);
}

std::optional<std::vector<std::byte>> DatagramEnd::Take() const {
  std::vector<std::byte> bytes(1 << 17);
  const ReceiveResult result =
      sockets->Receive(id, bytes.data(), static_cast<uint32_t>(bytes.size()));
  if (!result.status.ok() || result.would_block || result.end_of_stream) {
    return std::nullopt;
  }
  bytes.resize(result.bytes);
  return bytes;
}

DatagramEnd OpenDatagram(VsockPair& pair, Side side) {
  Transport& sockets = pair.sockets(side);
  return {&sockets, *sockets.Open(Type::kDgram)};
}

DatagramEnd OpenDatagram(VsockPair& pair, Side side, Port port) {
  const DatagramEnd end = OpenDatagram(pair, side);
  VSOCK_CHECK(end.sockets->Bind(end.id, port).ok());
  return end;
}

DropCounters::Count LostFor(VsockPair& pair, DropReason reason) {
  DropCounters::Count sum;
  for (LossLog* log :
       {&pair.guest_sockets().losses(), &pair.guest().driver().losses(),
        &pair.device().losses(), &pair.host_sockets().losses()}) {
    sum.packets += log->counters()[reason].packets;
    sum.bytes += log->counters()[reason].bytes;
  }
  return sum;
}

DropCounters::Count LostInAll(VsockPair& pair) {
  DropCounters::Count sum;
  for (size_t i = 0; i < kDropReasons; ++i) {
    const DropCounters::Count lost = LostFor(pair, static_cast<DropReason>(i));
    sum.packets += lost.packets;
    sum.bytes += lost.bytes;
  }
  return sum;
}

}  // namespace vsock
