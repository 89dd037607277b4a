// device_setup.h: what a front end's messages add up to: two rings to serve.

#ifndef VSOCK_VHOST_USER_DEVICE_SETUP_H_
#define VSOCK_VHOST_USER_DEVICE_SETUP_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "virtqueue/ring_layout.h"

namespace vsock::vhost_user {

// Feature bits of every device, virtio 1.3, 6 "Reserved Feature Bits".
inline constexpr uint64_t kIndirectDesc = uint64_t{1} << 28;
inline constexpr uint64_t kEventIdx = uint64_t{1} << 29;
inline constexpr uint64_t kVersion1 = uint64_t{1} << 32;
inline constexpr uint64_t kRingPacked = uint64_t{1} << 34;
inline constexpr uint64_t kInOrder = uint64_t{1} << 35;

// 5.10.2. The front end keeps the event queue to itself.
inline constexpr size_t kRxQueue = 0;
inline constexpr size_t kTxQueue = 1;
inline constexpr size_t kQueues = 2;

// Where a ring is, as VHOST_USER_SET_VRING_BASE says it: the index of the next
// chain on a split ring; on a packed one the next slot to look at, with its
// wrap counter, in the lower half, and the next to be used in the upper half.
using RingBase = uint32_t;
inline constexpr RingBase kSplitBegin = 0;
inline constexpr RingBase kPackedBegin = 0x80008000;

struct RingSetup {
  uint16_t size = 0;
  virtqueue::RingAddrs addrs;
  RingBase base = kSplitBegin;
};

struct DeviceSetup {
  uint64_t features = 0;  // that the driver accepted
  bool resumes = false;   // its driver is the one that was served before
  std::array<RingSetup, kQueues> rings;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_DEVICE_SETUP_H_
