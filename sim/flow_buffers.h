// flow_buffers.h: what a flow's programs hand to setsockopt for their buffers.

#ifndef SIM_FLOW_BUFFERS_H_
#define SIM_FLOW_BUFFERS_H_

#include <cstdint>
#include <optional>

#include "sim/scenario.pb.h"

namespace sim {

// SO_SNDBUF; none: the system's default.
inline std::optional<uint32_t> SendBufferOf(const Scenario::Flow& flow) {
  if (flow.has_send_buffer_bytes()) return flow.send_buffer_bytes();
  if (flow.has_buffer_bytes()) return flow.buffer_bytes();
  return std::nullopt;
}

// SO_RCVBUF, or SO_VM_SOCKETS_BUFFER_SIZE of a vsock stream; likewise.
inline std::optional<uint32_t> ReceiveBufferOf(const Scenario::Flow& flow) {
  if (flow.has_receive_buffer_bytes()) return flow.receive_buffer_bytes();
  if (flow.has_buffer_bytes()) return flow.buffer_bytes();
  return std::nullopt;
}

}  // namespace sim

#endif  // SIM_FLOW_BUFFERS_H_
