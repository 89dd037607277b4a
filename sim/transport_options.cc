#include "sim/transport_options.h"

#include <cstdint>
#include <optional>

#include "sim/flow_buffers.h"
#include "vsock/features.h"
#include "vsock/policy/proposal.h"
#include "vsock/socket.h"
#include "vsock/truesize.h"

namespace sim {

using vsock::SocketId;
using vsock::Transport;

Transport::Options TransportOptions(const Scenario& scenario,
                                    const Scenario::Kernel& kernel,
                                    vsock::Cid cid) {
  Transport::Options options;
  options.cid = cid;
  options.features =
      vsock::Features(vsock::Features::kStream | vsock::Features::kDgram);
  options.proposal.send_charge =
      scenario.proposal().charge() == Scenario::Proposal::TRUESIZE
          ? vsock::SendCharge::kTruesize
          : vsock::SendCharge::kPayloadBytes;
  options.stream_buffer = {.size = kernel.stream_buffer_bytes(),
                           .min = kernel.stream_buffer_min_bytes(),
                           .max = kernel.stream_buffer_max_bytes()};
  options.datagram_send_buffer = {.max = kernel.wmem_max_bytes(),
                                  .initial = kernel.wmem_default_bytes(),
                                  .floor = vsock::kSendBufferFloor};
  options.datagram_receive_buffer = {.max = kernel.rmem_max_bytes(),
                                     .initial = kernel.rmem_default_bytes(),
                                     .floor = vsock::kReceiveBufferFloor};
  return options;
}

vsock::PayloadMode ModeOf(const Scenario& scenario) {
  return scenario.payload() == Scenario::REAL ? vsock::PayloadMode::kReal
                                              : vsock::PayloadMode::kElided;
}

vsock::Type TypeOf(const Scenario::Flow& flow) {
  return static_cast<vsock::Type>(flow.type());
}

absl::Status SetBuffers(Transport& transport, SocketId socket,
                        const Scenario::Flow& flow, bool sends) {
  const bool datagrams = TypeOf(flow) == vsock::Type::kDgram;
  const std::optional<uint32_t> bytes =
      datagrams && sends ? SendBufferOf(flow) : ReceiveBufferOf(flow);
  if (!bytes.has_value()) return absl::OkStatus();
  if (datagrams) {
    return sends ? transport.SetSendBuffer(socket, *bytes)
                 : transport.SetReceiveBuffer(socket, *bytes);
  }
  vsock::StreamBufferSize size = transport.Find(socket)->buffer_size;
  size.size = *bytes;
  return transport.SetBufferSize(socket, size);
}

}  // namespace sim
