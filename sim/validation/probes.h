// probes.h: everything that the model is held against.

#ifndef SIM_VALIDATION_PROBES_H_
#define SIM_VALIDATION_PROBES_H_

#include <vector>

#include "sim/validation/probe.h"

namespace sim {

std::vector<Probe> AllProbes();

}  // namespace sim

#endif  // SIM_VALIDATION_PROBES_H_
