// capture_probes.h: packets that Linux sent, and the model for the same calls.

#ifndef SIM_VALIDATION_CAPTURE_PROBES_H_
#define SIM_VALIDATION_CAPTURE_PROBES_H_

#include "sim/validation/probe.h"

namespace sim {

// A claim for each recording: 1 if the model sends the same.
Probe RecordedPackets();

}  // namespace sim

#endif  // SIM_VALIDATION_CAPTURE_PROBES_H_
