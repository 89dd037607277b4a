// lone_transport.h: one transport without rings: packets are handed to it and
// taken from its send list by the test, which plays the peer.

#ifndef TESTS_SUPPORT_LONE_TRANSPORT_H_
#define TESTS_SUPPORT_LONE_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {

class LoneTransport {
 public:
  static constexpr Cid kCid{3};
  static constexpr Address kPeer{kCidHost, Port(500)};

  // Stream and datagram negotiated.
  static Transport::Options Defaults();

  explicit LoneTransport(const Transport::Options& options = Defaults());
  ~LoneTransport() { sockets_.Abort(); }

  Transport& sockets() { return sockets_; }
  PacketQueue& send_list() { return send_list_; }

  // A packet from kPeer to `port`, announcing 262144 bytes of buffer and
  // nothing consumed. Its payload is zeros.
  void Deliver(Port port, Type type, Op op, uint32_t len = 0,
               uint32_t flags = 0);
  void DeliverHdr(const VsockHdr& hdr);
  static VsockHdr FromPeer(Port port, Type type, Op op);

  // Takes everything off the send list, as a driver and its device would.
  std::vector<VsockHdr> TakeSent();

 private:
  std::vector<std::byte> memory_;
  PayloadArena arena_;
  PacketPool pool_;
  PacketQueue send_list_;
  Router router_;
  TailDrop tail_drop_;
  Transport sockets_;
};

}  // namespace vsock

#endif  // TESTS_SUPPORT_LONE_TRANSPORT_H_
