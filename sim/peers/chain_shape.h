// chain_shape.h: what a virtio-vsock packet costs by the shape of its chain:
// header and payload in one descriptor, in two, in many; in the ring itself or
// in an indirect table (virtio 1.3, 2.7.4 and 2.7.5.3).
//
// The driver writes each descriptor, one more that refers to a table, and
// collects the chain as one. The device's worker was measured with chains of
// two; each further descriptor it walks is priced as one that is written. For
// one descriptor a program whose payload does not lie behind its header already
// joins them with a copy.
//
// bench/chain_copy_bench.cc measures the same on the real rings.

#ifndef SIM_PEERS_CHAIN_SHAPE_H_
#define SIM_PEERS_CHAIN_SHAPE_H_

#include <cstdint>

#include "sim/platform.pb.h"
#include "vsock/units.h"

namespace sim {

struct ChainShape {
  uint32_t descriptors = 2;
  bool indirect = false;
  bool joined = false;  // the payload is copied behind the header first
  uint32_t payload_bytes = 0;
};

struct ChainCost {
  vsock::Nanos driver;
  vsock::Nanos device;
};

ChainCost PriceChain(const Platform& platform, const ChainShape& shape);

}  // namespace sim

#endif  // SIM_PEERS_CHAIN_SHAPE_H_
