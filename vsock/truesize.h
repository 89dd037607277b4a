// truesize.h: what Linux charges a socket for the memory of one packet.
//
// Source: Linux, include/linux/skbuff.h and the slab sizes of 64-bit builds: a
// socket buffer is a slab of data, ending in 320 bytes of shared info, and a
// 256-byte struct. Kernels from about 6.3 on take small heads from a dedicated
// cache; that refinement is left out.

#ifndef VSOCK_TRUESIZE_H_
#define VSOCK_TRUESIZE_H_

#include <bit>
#include <cstdint>

namespace vsock {

inline constexpr uint32_t kSkbTailBytes = 320;
inline constexpr uint32_t kSkbStructBytes = 256;

// SKB_TRUESIZE(0): the overhead of an empty packet.
inline constexpr uint32_t kSkbOverhead = kSkbTailBytes + kSkbStructBytes;

// The slab that holds `bytes`; slabs are powers of two, and 96 and 192.
constexpr uint32_t SlabBytes(uint32_t bytes) {
  if (bytes > 64 && bytes <= 96) return 96;
  if (bytes > 128 && bytes <= 192) return 192;
  return std::bit_ceil(bytes < 8 ? 8u : bytes);
}

// Data bytes that fit in the socket buffer made for `bytes` of data.
constexpr uint32_t SkbCapacity(uint32_t bytes) {
  return SlabBytes(bytes + kSkbTailBytes) - kSkbTailBytes;
}

// The charge for a linear socket buffer with `bytes` of data (header included).
constexpr uint32_t TrueSize(uint32_t bytes) {
  return SlabBytes(bytes + kSkbTailBytes) + kSkbStructBytes;
}

inline constexpr uint32_t kSendBufferFloor = 4608;     // SOCK_MIN_SNDBUF
inline constexpr uint32_t kReceiveBufferFloor = 2304;  // SOCK_MIN_RCVBUF

// SO_SNDBUF or SO_RCVBUF of a system, in bytes.
struct SocketBufferLimits {
  uint32_t max = 212992;      // wmem_max, rmem_max; 4 MiB since 6.18
  uint32_t initial = 212992;  // wmem_default, rmem_default
  uint32_t floor;

  // sk_sndbuf or sk_rcvbuf after setsockopt(value): capped, doubled, floored.
  constexpr uint32_t Effective(uint32_t value) const {
    const uint32_t doubled = 2 * (value < max ? value : max);
    return doubled < floor ? floor : doubled;
  }
};

}  // namespace vsock

#endif  // VSOCK_TRUESIZE_H_
