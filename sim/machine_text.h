// machine_text.h: the machine of a scenario, for a report's head.
//
// Only what bears on its flows: rings and rx buffers if one goes over
// virtio-vsock, queue pairs and MTU if one is UDP, and so on.

#ifndef SIM_MACHINE_TEXT_H_
#define SIM_MACHINE_TEXT_H_

#include <string>

#include "sim/platform.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

// Sentences, with every default of the scenario filled in.
std::string MachineText(const Scenario& scenario, const Platform& platform);

}  // namespace sim

#endif  // SIM_MACHINE_TEXT_H_
