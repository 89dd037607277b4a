#include "sim/layers.h"

#include "sim/loopback_sockets.h"
#include "sim/peers/bsd_unix_rules.h"
#include "sim/peers/linux_unix_rules.h"
#include "sim/peers/udp_sockets.h"
#include "sim/peers/unix_sockets.h"
#include "sim/peers/vmci_sockets.h"
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
    case Scenario::Flow::VMCI:
      return std::make_unique<VmciSockets>(machines);
    case Scenario::Flow::UNIX:
      return std::make_unique<UnixSockets>(
          machines,
          std::make_unique<LinuxUnixRules>(machines.scenario().unix()));
    case Scenario::Flow::UNIX_BSD:
      return std::make_unique<UnixSockets>(
          machines, std::make_unique<BsdUnixRules>(machines.scenario().unix()));
    case Scenario::Flow::UDP:
      return UdpSockets::Create(machines);
  }
  VSOCK_CHECK(false);
}

}  // namespace sim
