// features.h: the feature bits of the socket device and what they imply.
//
// Spec: virtio 1.3, 5.10.3 "Feature bits". Bit 3 is PROPOSED (every datagram
// draft since 2022 uses it).

#ifndef VSOCK_FEATURES_H_
#define VSOCK_FEATURES_H_

#include <cstdint>

#include "vsock/hdr.h"

namespace vsock {

class Features {
 public:
  static constexpr uint64_t kStream = 1u << 0;
  static constexpr uint64_t kSeqpacket = 1u << 1;
  static constexpr uint64_t kNoImpliedStream = 1u << 2;
  static constexpr uint64_t kDgram = 1u << 3;  // PROPOSED

  constexpr explicit Features(uint64_t bits = 0) : bits_(bits) {}

  constexpr uint64_t bits() const { return bits_; }
  constexpr bool has(uint64_t bit) const { return (bits_ & bit) != 0; }

  // Whether sockets of `type` exist once these bits are negotiated. Without
  // NO_IMPLIED_STREAM, STREAM is implied by nothing and by SEQPACKET (5.10.3);
  // the text does not cover DGRAM alone, which is treated like SEQPACKET.
  constexpr bool Allow(Type type) const {
    switch (type) {
      case Type::kStream:
        return has(kStream) || !has(kNoImpliedStream);
      case Type::kSeqpacket:
        return has(kSeqpacket);
      case Type::kDgram:
        return has(kDgram);
    }
    return false;
  }

  // What is left when the driver accepts of `offered` what it knows.
  friend constexpr Features Negotiate(Features offered, Features known) {
    return Features(offered.bits_ & known.bits_);
  }

 private:
  uint64_t bits_;
};

}  // namespace vsock

#endif  // VSOCK_FEATURES_H_
