// ring_probes.h: when the cost of notifications sets the pace.

#ifndef SIM_VALIDATION_RING_PROBES_H_
#define SIM_VALIDATION_RING_PROBES_H_

#include "sim/validation/probe.h"

namespace sim {

// The regimes of producer and consumer on a real ring, against closed forms.
Probe NotificationRegimes();

}  // namespace sim

#endif  // SIM_VALIDATION_RING_PROBES_H_
