// layers.h: the socket layer of each transport.

#ifndef SIM_LAYERS_H_
#define SIM_LAYERS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "sim/machines.h"
#include "sim/scenario.pb.h"
#include "sim/socket_layer.h"

namespace sim {

// `machines` outlives the layer. Errors: what the layer refuses to build.
absl::StatusOr<std::unique_ptr<SocketLayer>> CreateLayer(
    Scenario::Flow::Transport transport, Machines& machines);

}  // namespace sim

#endif  // SIM_LAYERS_H_
