// net_effects.h: what a step of a queue pair owes to the world.
//
// As vsock/effects.h: nobody is called back. The harness prices both ledgers,
// notifies, and hands the frame on.

#ifndef SIM_PEERS_NET_EFFECTS_H_
#define SIM_PEERS_NET_EFFECTS_H_

#include <optional>

#include "sim/peers/net_frame.h"
#include "vsock/work.h"

namespace sim {

struct [[nodiscard]] NetEffects {
  vsock::Work work;   // of the driver or the device
  vsock::Work stack;  // of the receiving machine's UDP and IP
  // Available buffer notifications owed to the device, 2.7.10.
  bool kick_tx = false;
  bool kick_rx = false;
  bool interrupt = false;  // used buffer notification owed, 2.7.7
  bool more = false;       // this worker has more to do: step again
  std::optional<NetFrame> arrived;
  std::optional<NetFrame> dropped;
};

}  // namespace sim

#endif  // SIM_PEERS_NET_EFFECTS_H_
