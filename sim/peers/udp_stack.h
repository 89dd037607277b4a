// udp_stack.h: UDP and IPv4 of one machine: sockets above, frames below.
//
// Source: Linux net/ipv4 (ip_output.c, ip_fragment.c, udp.c). Each fragment is
// a socket buffer charged to its sender: of the first the test comes before the
// charge (the sender blocks), the others go up to twice SO_SNDBUF (ENOBUFS).
// Trust: callers get a Status that begins with the errno; frames from below are
// the peer's and are judged here.
// Left out: connected sockets and ICMP errors, checksums of payloads, UDP's
// late return of receive memory (it gives back in quarters of SO_RCVBUF).

#ifndef SIM_PEERS_UDP_STACK_H_
#define SIM_PEERS_UDP_STACK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/peers/datagram_endpoint.h"
#include "sim/peers/datagram_ledger.h"
#include "sim/peers/ipv4.h"
#include "sim/peers/net_frame.h"
#include "sim/peers/reassembly.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace sim {

class UdpStack {
 public:
  struct Options {
    DatagramEndpoint::Options endpoint;
    vsock::Cid peer;
    uint32_t mtu = 1500;
    vsock::PayloadMode payload = vsock::PayloadMode::kElided;
  };

  enum class Outcome {
    kKept,  // a fragment; others are missing
    kQueued,
    kNoSocket,
    kReceiveBufferFull,
    kReassemblyFull,
    kMalformed,
  };

  explicit UdpStack(const Options& options);

  DatagramEndpoint& sockets() { return sockets_; }
  const DatagramEndpoint& sockets() const { return sockets_; }
  // Of the datagrams that leave this machine.
  DatagramLedger& ledger() { return ledger_; }
  const DatagramLedger& ledger() const { return ledger_; }

  // Charges and copies a datagram into `frames`. Errors: EMSGSIZE, ENOBUFS.
  vsock::SendResult Send(vsock::SocketId id, const vsock::Message& message,
                         std::vector<NetFrame>& frames);

  // A frame from below, for a machine where it takes `receive_charge`.
  Outcome Receive(const NetFrame& frame, vsock::Instant now);

  UdpFlow FlowTo(vsock::SocketId id, vsock::Port to) const;
  const Reassembly& reassembly() const { return reassembly_; }

 private:
  bool ChargeFrames(vsock::SocketId id, std::vector<NetFrame>& frames);
  void WriteFrames(const UdpFlow& flow, uint16_t id,
                   const vsock::Message& message,
                   std::vector<NetFrame>& frames) const;
  Outcome Deliver(const ParsedFrame& frame, IpPayload payload);

  const Options options_;
  DatagramEndpoint sockets_;
  DatagramLedger ledger_;
  Reassembly reassembly_;
};

}  // namespace sim

#endif  // SIM_PEERS_UDP_STACK_H_
