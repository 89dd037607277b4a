// flow_pair.h: a guest and a host that meet in real rings, and one flow between
// a socket of each.

#ifndef BENCH_FLOW_PAIR_H_
#define BENCH_FLOW_PAIR_H_

#include <cstdint>
#include <memory>

#include "bench/guest_side.h"
#include "bench/host_side.h"
#include "vsock/guest.h"
#include "vsock/hdr.h"
#include "vsock/host.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace bench {

struct FlowShape {
  vsock::Type type = vsock::Type::kStream;
  bool to_host = true;
  uint32_t message_bytes = 4096;
  vsock::PayloadMode payload = vsock::PayloadMode::kReal;
  bool event_idx = true;
};

class FlowPair {
 public:
  // Rings, buffers and limits as Linux has them, but that a datagram to the
  // guest, which is never cut, finds rx buffers large enough. The stream is
  // established, or the sending datagram socket connected to a bound one.
  explicit FlowPair(const FlowShape& shape);

  // On one thread: lets the workers of both sides run until all sleep.
  void Settle();

  // For one thread each.
  GuestSide& guest() { return guest_side_; }
  HostSide& host() { return host_side_; }

  vsock::SocketId sender() const { return sender_; }
  vsock::SocketId receiver() const { return receiver_; }

  // The ledger of both sides' workers since the beginning.
  vsock::Work work() const;
  // Packets lost on the way, whatever the cause.
  uint64_t dropped();

 private:
  void OpenFlow(const FlowShape& shape);

  std::unique_ptr<vsock::Guest> guest_;
  std::unique_ptr<vsock::Host> host_;
  vsock::Device* device_;
  GuestSide guest_side_;
  HostSide host_side_;
  vsock::SocketId sender_;
  vsock::SocketId receiver_;
};

}  // namespace bench

#endif  // BENCH_FLOW_PAIR_H_
