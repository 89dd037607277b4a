// datagram_ends.h: what nearly every test of datagrams says, in a line each.

#ifndef TESTS_SUPPORT_DATAGRAM_ENDS_H_
#define TESTS_SUPPORT_DATAGRAM_ENDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/vsock_pair.h"
#include "vsock/drop.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {

// A datagram socket and where it lives.
struct DatagramEnd {
  Transport* sockets = nullptr;
  SocketId id;

  const DatagramPart& part() const { return *sockets->Find(id)->datagram; }
  Address address() const { return {sockets->cid(), *sockets->Find(id)->port}; }
  SendResult SendTo(Address to, uint32_t len) const {
    return sockets->Send(id, {.len = len, .to = to});
  }
  // Must be admitted.
  void MustSendTo(Address to, uint32_t len) const;
  void MustSendTo(Address to, const std::vector<std::byte>& bytes) const;
  ReceiveResult Receive(uint32_t max = 1 << 17) const {
    return sockets->Receive(id, nullptr, max);
  }
  // The next datagram's bytes; none if there is no datagram.
  std::optional<std::vector<std::byte>> Take() const;
};

// Bound to `port`; the overload without a port is not bound.
DatagramEnd OpenDatagram(VsockPair& pair, Side side);
DatagramEnd OpenDatagram(VsockPair& pair, Side side, Port port);

// What all four places together lost for `reason`.
DropCounters::Count LostFor(VsockPair& pair, DropReason reason);
DropCounters::Count LostInAll(VsockPair& pair);

}  // namespace vsock

#endif  // TESTS_SUPPORT_DATAGRAM_ENDS_H_
