// flow.h: one sender and one receiver, in the guest and on the host.

#ifndef BENCH_FLOW_H_
#define BENCH_FLOW_H_

#include <cstdint>

#include "tests/support/vsock_pair.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/transport.h"

namespace bench {

struct FlowShape {
  vsock::Type type = vsock::Type::kStream;
  bool to_host = true;
  uint32_t message_bytes = 4096;
  vsock::PayloadMode payload = vsock::PayloadMode::kReal;
  bool event_idx = true;
};

// A guest and a host for such a flow: as Linux has them, but that a datagram to
// the guest, which is never cut, finds rx buffers large enough.
vsock::VsockPair::Options PairFor(const FlowShape& shape);

struct Flow {
  vsock::SocketId sender;
  vsock::SocketId receiver;
};

// A stream whose two ends are established, or a datagram socket connected to a
// bound one.
Flow OpenFlow(vsock::VsockPair& pair, const FlowShape& shape);

}  // namespace bench

#endif  // BENCH_FLOW_H_
