#include "sim/layers.h"

#include "sim/loopback_sockets.h"
#include "sim/vsock_sockets.h"
#include "virtqueue/check.h"

namespace sim {

absl::StatusOr<std::unique_ptr<SocketLayer>> CreateLayer(
    Scenario::Flow::Transport transport, Machines& machines) {
  switch (transport) {
    case Scenario::Flow::VSOCK:
      return VsockSockets::Create(machines);
    case Scenario::Flow::VSOCK_LOOPBACK:
      return LoopbackSockets::Create(machines);
  }
  VSOCK_CHECK(false);
}

}  // namespace sim
