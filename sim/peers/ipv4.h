// ipv4.h: Ethernet, IPv4 and UDP headers, and how a datagram is cut up.
//
// Spec: RFC 791 (IPv4, fragmentation), RFC 768 (UDP), RFC 894 (Ethernet); how
// the pieces are cut follows Linux ip_append_data.
// Trust: ParseFrame judges bytes that the peer wrote.
// Left out: options, DF and path MTU discovery, VLAN tags. The UDP checksum is
// 0, which RFC 768 allows: an elided payload has none.

#ifndef SIM_PEERS_IPV4_H_
#define SIM_PEERS_IPV4_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "sim/peers/big_endian.h"

namespace sim {

struct EthernetHdr {
  std::array<uint8_t, 6> destination, source;
  Be16 type;
};

struct Ipv4Hdr {
  uint8_t version_and_length;
  uint8_t tos;
  Be16 total_length;
  Be16 id;
  Be16 fragment;  // flags, and the offset in units of 8 bytes
  uint8_t ttl;
  uint8_t protocol;
  Be16 checksum;
  Be32 source, destination;
};

struct UdpHdr {
  Be16 source, destination;
  Be16 length;  // of header and payload
  Be16 checksum;
};

inline constexpr uint32_t kEthernetBytes = sizeof(EthernetHdr);
inline constexpr uint32_t kIpv4Bytes = sizeof(Ipv4Hdr);
inline constexpr uint32_t kUdpBytes = sizeof(UdpHdr);
static_assert(kEthernetBytes == 14 && kIpv4Bytes == 20 && kUdpBytes == 8,
              "wire layout");

// What total_length, a 16-bit field, leaves for a payload.
inline constexpr uint32_t kMostUdpPayload = 65535 - kIpv4Bytes - kUdpBytes;

// One piece of an IP payload.
struct Fragment {
  uint32_t offset = 0;  // bytes of the payload before it
  uint32_t bytes = 0;
  bool more = false;  // others follow

  bool whole() const { return offset == 0 && !more; }
};

// The piece that begins at `offset` of `total` bytes. All but the last are of
// a multiple of 8 bytes.
constexpr Fragment FragmentAt(uint32_t offset, uint32_t total, uint32_t mtu) {
  const uint32_t left = total - offset;
  const uint32_t room = mtu - kIpv4Bytes;
  if (left <= room) return {offset, left, false};
  return {offset, room & ~uint32_t{7}, true};
}

// Frames that a UDP payload of so many bytes takes.
constexpr uint32_t FragmentCount(uint32_t payload, uint32_t mtu) {
  uint32_t count = 1;
  const uint32_t total = kUdpBytes + payload;
  for (Fragment f = FragmentAt(0, total, mtu); f.more; ++count) {
    f = FragmentAt(f.offset + f.bytes, total, mtu);
  }
  return count;
}

// Who sends to whom.
struct UdpFlow {
  uint32_t source_ip = 0;
  uint32_t destination_ip = 0;
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
};

// Writes the headers of one frame, Ethernet and IPv4: 34 bytes.
void WriteFrameHeaders(const UdpFlow& flow, uint16_t id,
                       const Fragment& fragment, absl::Span<std::byte> out);
// Writes the header that begins the IP payload of the first frame: 8 bytes.
void WriteUdpHeader(const UdpFlow& flow, uint32_t payload,
                    absl::Span<std::byte> out);

struct ParsedFrame {
  uint32_t source_ip = 0;
  uint32_t destination_ip = 0;
  uint16_t id = 0;
  Fragment fragment;
};

// What the first bytes of a frame of `bytes` say. Nothing if it is no lawful
// UDP over IPv4: too short, another protocol, a wrong checksum, a length
// beyond the frame, or a piece that goes beyond 65535 bytes.
std::optional<ParsedFrame> ParseFrame(absl::Span<const std::byte> kept,
                                      uint32_t bytes);

struct ParsedUdp {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint32_t payload = 0;
};

// The header that begins an IP payload of `bytes`. Nothing if it does not fit.
std::optional<ParsedUdp> ParseUdp(absl::Span<const std::byte> kept,
                                  uint32_t bytes);

}  // namespace sim

#endif  // SIM_PEERS_IPV4_H_
