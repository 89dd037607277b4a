// vsock_probes.h: published figures of virtio-vsock.

#ifndef SIM_VALIDATION_VSOCK_PROBES_H_
#define SIM_VALIDATION_VSOCK_PROBES_H_

#include "sim/validation/probe.h"

namespace sim {

// Stream throughput by message size, 2019.
Probe StreamThroughput2019();

// A lone stream beside datagrams against beside streams, 2023.
Probe Fairness2023();

// Datagrams that a socket of default size has under way.
Probe DatagramsInFlight();

}  // namespace sim

#endif  // SIM_VALIDATION_VSOCK_PROBES_H_
