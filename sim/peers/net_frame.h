// net_frame.h: an Ethernet frame outside of a ring, and what memory it takes.
//
// While payloads are elided a frame keeps its headers and a message's stamp;
// every length and charge counts all of it. Both modes are the same code.
// Source of the charges: Linux net/ipv4/ip_output.c, drivers/vhost/net.c,
// drivers/net/tun.c, drivers/net/virtio_net.c.

#ifndef SIM_PEERS_NET_FRAME_H_
#define SIM_PEERS_NET_FRAME_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "sim/peers/ipv4.h"
#include "virtqueue/endian.h"
#include "vsock/packet.h"
#include "vsock/truesize.h"

namespace sim {

struct NetHdr {  // struct virtio_net_hdr, virtio 1.3, 5.1.6
  uint8_t flags = 0;
  uint8_t gso_type = 0;
  virtqueue::Le16 hdr_len, gso_size, csum_start, csum_offset;
  virtqueue::Le16 num_buffers;
};
inline constexpr uint32_t kNetHdrBytes = sizeof(NetHdr);
static_assert(kNetHdrBytes == 12, "wire layout");

inline constexpr uint32_t kKeptHeaders = kEthernetBytes + kIpv4Bytes;
inline constexpr uint32_t kKeptOfElided =
    kKeptHeaders + kUdpBytes + vsock::kStampBytes;

// Bytes of a frame of `bytes` that are really held and copied.
constexpr uint32_t KeptOfFrame(vsock::PayloadMode mode, uint32_t bytes) {
  return mode == vsock::PayloadMode::kReal ? bytes
                                           : std::min(bytes, kKeptOfElided);
}

struct NetFrame {
  uint32_t bytes = 0;           // from the Ethernet header to the last byte
  vsock::SocketId owner;        // whose send buffer is charged
  uint32_t send_charge = 0;     // against it, while it is not released
  uint32_t receive_charge = 0;  // memory at the receiving machine
  absl::InlinedVector<std::byte, 64> kept;
};
static_assert(kKeptOfElided <= 64);

// A sender's socket buffer: the IP packet, with 47 bytes of room for what is
// below (LL_RESERVED_SPACE of virtio-net, 32, and 15).
constexpr uint32_t SendTrueSize(uint32_t frame_bytes) {
  return vsock::TrueSize(frame_bytes - kEthernetBytes + 47);
}

// The slab-less buffer that vhost-net builds for a frame: pieces of 64 bytes,
// 128 before the frame and its virtio-net header.
constexpr uint32_t TapBufferBytes(uint32_t frame_bytes) {
  return (frame_bytes + kNetHdrBytes + 128 + 63) & ~uint32_t{63};
}

// Whether it fits a page and so can be handed to the tap in a batch.
constexpr bool IsBatchable(uint32_t frame_bytes) {
  return TapBufferBytes(frame_bytes) + vsock::kSkbTailBytes <= 4096;
}

// The socket buffer of a frame that came out of the tap device.
constexpr uint32_t TapTrueSize(uint32_t frame_bytes) {
  if (!IsBatchable(frame_bytes)) return vsock::TrueSize(frame_bytes + 64);
  return TapBufferBytes(frame_bytes) + vsock::kSkbOverhead;
}

// The length of a mergeable rx buffer, to which Linux's average settles when
// full frames arrive.
constexpr uint32_t RxBufferBytes(uint32_t mtu) {
  const uint32_t frame = std::clamp(mtu + kEthernetBytes, 1518u, 4084u);
  return (kNetHdrBytes + frame + 63) & ~uint32_t{63};
}

// The socket buffer of a frame that came in `buffers` rx buffers: these, and a
// small head.
constexpr uint32_t RxTrueSize(uint32_t buffers, uint32_t rx_buffer_bytes) {
  return buffers * rx_buffer_bytes + vsock::TrueSize(128 + 64);
}

}  // namespace sim

#endif  // SIM_PEERS_NET_FRAME_H_
