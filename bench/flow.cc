#include "bench/flow.h"

#include <algorithm>

#include "virtqueue/check.h"
#include "vsock/units.h"

namespace bench {
namespace {

using vsock::SocketId;
using vsock::Transport;
using vsock::Type;

constexpr vsock::Port kPort{10};

}  // namespace

vsock::VsockPair::Options PairFor(const FlowShape& shape) {
  vsock::VsockPair::Options options = vsock::VsockPair::Defaults();
  options.guest.payload = options.host.payload = shape.payload;
  options.guest.driver.event_idx = shape.event_idx;
  if (shape.type == Type::kDgram) {
    uint32_t& buffer = options.guest.driver.rx_buffer_bytes;
    buffer = std::max(buffer, vsock::kHdrBytes + shape.message_bytes);
  }
  return options;
}

Flow OpenFlow(vsock::VsockPair& pair, const FlowShape& shape) {
  Transport& from = shape.to_host ? pair.guest_sockets() : pair.host_sockets();
  Transport& to = shape.to_host ? pair.host_sockets() : pair.guest_sockets();
  Flow flow = {*from.Open(shape.type), *to.Open(shape.type)};
  VSOCK_CHECK(to.Bind(flow.receiver, kPort).ok());
  if (shape.type == Type::kStream) {
    VSOCK_CHECK(to.Listen(flow.receiver, /*backlog=*/1).ok());
  }
  VSOCK_CHECK(from.Connect(flow.sender, {to.cid(), kPort}, pair.now()).ok());
  pair.Run();
  if (shape.type == Type::kStream) flow.receiver = *to.Accept(flow.receiver);
  return flow;
}

}  // namespace bench
