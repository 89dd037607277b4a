// transport_options.h: what a scenario says of AF_VSOCK sockets, as the model
// of vsock/ takes it.

#ifndef SIM_TRANSPORT_OPTIONS_H_
#define SIM_TRANSPORT_OPTIONS_H_

#include "absl/status/status.h"
#include "sim/scenario.pb.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace sim {

vsock::Transport::Options TransportOptions(const Scenario& scenario,
                                           const Scenario::Kernel& kernel,
                                           vsock::Cid cid);

vsock::PayloadMode ModeOf(const Scenario& scenario);

vsock::Type TypeOf(const Scenario::Flow& flow);

// Sizes the buffers of a socket of the flow's as the flow says.
absl::Status SetBuffers(vsock::Transport& transport, vsock::SocketId socket,
                        const Scenario::Flow& flow, bool sends);

}  // namespace sim

#endif  // SIM_TRANSPORT_OPTIONS_H_
