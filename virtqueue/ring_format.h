// ring_format.h: what both formats of a virtqueue have in common.
//
// Spec: virtio 1.3, 2.7 "Split Virtqueues" and 2.8 "Packed Virtqueues".

#ifndef VIRTQUEUE_RING_FORMAT_H_
#define VIRTQUEUE_RING_FORMAT_H_

#include <cstdint>

namespace virtqueue {

enum class RingFormat : uint8_t {
  kSplit,   // 2.7
  kPacked,  // 2.8; VIRTIO_F_RING_PACKED was negotiated
};

inline constexpr uint32_t kMaxQueueSize = 32768;               // 2.7, 2.8
inline constexpr uint32_t kDescriptorAlign = 16;               // 2.7, 2.8.10.1
inline constexpr uint32_t kDescriptorBytes = 16;               // 2.7.5, 2.8.13
inline constexpr uint64_t kMaxChainBytes = uint64_t{1} << 32;  // 2.7.5.2
inline constexpr uint64_t kCacheLine = 64;

constexpr uint64_t RoundToLine(uint64_t bytes) {
  return (bytes + kCacheLine - 1) & ~(kCacheLine - 1);
}

// Flags of a descriptor: 2.7.5, 2.8.3, 2.8.6, 2.8.7.
inline constexpr uint16_t kDescNext = 1;
inline constexpr uint16_t kDescWrite = 2;  // device writes, else device reads
inline constexpr uint16_t kDescIndirect = 4;

}  // namespace virtqueue

#endif  // VIRTQUEUE_RING_FORMAT_H_
