// steering.h: which queue pair carries a flow.
//
// A hash of addresses and, of a whole datagram, of ports; fragments after the
// first have no ports, so Linux's flow dissector leaves ports out for all
// fragments, and every fragmented flow between two machines lands on one pair.
// The hash is the one of virtio 1.3, 5.1.6.4.3 (Toeplitz), with the key that
// its authors publish for verification; a hash goes to a pair in proportion
// (reciprocal_scale), as tun has it.
// Left out: choice by the sender's processor (XPS), and tun's table of flows
// that follows the guest's choice.

#ifndef SIM_PEERS_STEERING_H_
#define SIM_PEERS_STEERING_H_

#include <cstdint>

#include "sim/peers/ipv4.h"

namespace sim {

enum class Steering {
  kTwoTupleForFragments,
  kFourTuple,  // of a fragmented datagram, the first fragment's
};

// The hash over both addresses, and over these and both ports.
uint32_t HashTwoTuple(const UdpFlow& flow);
uint32_t HashFourTuple(const UdpFlow& flow);

// 0..pairs-1.
uint32_t PairOf(const UdpFlow& flow, bool fragmented, Steering steering,
                uint32_t pairs);

}  // namespace sim

#endif  // SIM_PEERS_STEERING_H_
