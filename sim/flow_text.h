// flow_text.h: what a flow does, in a line.

#ifndef SIM_FLOW_TEXT_H_
#define SIM_FLOW_TEXT_H_

#include <string>

#include "sim/scenario.pb.h"

namespace sim {

// "stream, guest to host, 4096-byte messages, buffer 131072 bytes".
std::string FlowText(const Scenario& scenario, const Scenario::Flow& flow);

}  // namespace sim

#endif  // SIM_FLOW_TEXT_H_
