// nbd_probes.h: NBD over AF_UNIX with larger socket buffers, 2025.

#ifndef SIM_VALIDATION_NBD_PROBES_H_
#define SIM_VALIDATION_NBD_PROBES_H_

#include <vector>

#include "sim/validation/probe.h"

namespace sim {

// One probe for each table that was published.
std::vector<Probe> NbdProbes();

}  // namespace sim

#endif  // SIM_VALIDATION_NBD_PROBES_H_
