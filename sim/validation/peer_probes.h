// peer_probes.h: published figures of what virtio-vsock is compared with.

#ifndef SIM_VALIDATION_PEER_PROBES_H_
#define SIM_VALIDATION_PEER_PROBES_H_

#include "sim/validation/probe.h"

namespace sim {

// Datagrams of vsock against UDP over virtio-net, 2023.
Probe DatagramsAgainstUdp2023();

// Frames of four iovecs against frames of one buffer, 2024.
Probe TapFrames2024();

}  // namespace sim

#endif  // SIM_VALIDATION_PEER_PROBES_H_
