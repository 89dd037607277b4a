#include "sim/peers/ipv4.h"

#include <cstring>

#include "virtqueue/check.h"

namespace sim {
namespace {

constexpr uint16_t kTypeIpv4 = 0x0800;
constexpr uint8_t kVersion4Length5 = 0x45;
constexpr uint8_t kProtocolUdp = 17;
constexpr uint8_t kTtl = 64;
constexpr uint16_t kMoreFragments = 0x2000;
constexpr uint16_t kOffsetMask = 0x1fff;
constexpr uint32_t kMostIpBytes = 65535;

// A locally administered address that ends in the IP address.
std::array<uint8_t, 6> MacOf(uint32_t ip) {
  return {0x52,
          0x54,
          static_cast<uint8_t>(ip >> 24),
          static_cast<uint8_t>(ip >> 16),
          static_cast<uint8_t>(ip >> 8),
          static_cast<uint8_t>(ip)};
}

// RFC 791, 3.1: the complement of the sum of all 16-bit words in ones'
// complement; 0 over a header that holds its own checksum.
uint16_t HeaderChecksum(const Ipv4Hdr& hdr) {
  std::array<uint8_t, kIpv4Bytes> bytes;
  std::memcpy(bytes.data(), &hdr, sizeof(hdr));
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

}  // namespace

void WriteFrameHeaders(const UdpFlow& flow, uint16_t id,
                       const Fragment& fragment, absl::Span<std::byte> out) {
  VSOCK_CHECK(out.size() >= kEthernetBytes + kIpv4Bytes);
  const EthernetHdr ethernet = {MacOf(flow.destination_ip),
                                MacOf(flow.source_ip), kTypeIpv4};
  std::memcpy(out.data(), &ethernet, sizeof(ethernet));
  Ipv4Hdr ip = {};
  ip.version_and_length = kVersion4Length5;
  ip.total_length = static_cast<uint16_t>(kIpv4Bytes + fragment.bytes);
  ip.id = id;
  ip.fragment = static_cast<uint16_t>((fragment.more ? kMoreFragments : 0) |
                                      fragment.offset / 8);
  ip.ttl = kTtl;
  ip.protocol = kProtocolUdp;
  ip.source = flow.source_ip;
  ip.destination = flow.destination_ip;
  ip.checksum = HeaderChecksum(ip);
  std::memcpy(out.data() + kEthernetBytes, &ip, sizeof(ip));
}

void WriteUdpHeader(const UdpFlow& flow, uint32_t payload,
                    absl::Span<std::byte> out) {
  VSOCK_CHECK(out.size() >= kUdpBytes && payload <= kMostUdpPayload);
  UdpHdr udp = {};
  udp.source = flow.source_port;
  udp.destination = flow.destination_port;
  udp.length = static_cast<uint16_t>(kUdpBytes + payload);
  std::memcpy(out.data(), &udp, sizeof(udp));
}

std::optional<ParsedFrame> ParseFrame(absl::Span<const std::byte> kept,
                                      uint32_t bytes) {
  if (kept.size() < kEthernetBytes + kIpv4Bytes) return std::nullopt;
  EthernetHdr ethernet;
  std::memcpy(&ethernet, kept.data(), sizeof(ethernet));
  Ipv4Hdr ip;
  std::memcpy(&ip, kept.data() + kEthernetBytes, sizeof(ip));
  if (ethernet.type != kTypeIpv4 || ip.version_and_length != kVersion4Length5 ||
      ip.protocol != kProtocolUdp || HeaderChecksum(ip) != 0 ||
      ip.total_length < kIpv4Bytes ||
      kEthernetBytes + ip.total_length > bytes) {
    return std::nullopt;
  }
  const Fragment fragment = {
      .offset = static_cast<uint32_t>(ip.fragment & kOffsetMask) * 8,
      .bytes = static_cast<uint32_t>(ip.total_length) - kIpv4Bytes,
      .more = (ip.fragment & kMoreFragments) != 0};
  if (kIpv4Bytes + fragment.offset + fragment.bytes > kMostIpBytes ||
      (fragment.more && (fragment.bytes == 0 || fragment.bytes % 8 != 0))) {
    return std::nullopt;
  }
  return ParsedFrame{ip.source, ip.destination, ip.id, fragment};
}

std::optional<ParsedUdp> ParseUdp(absl::Span<const std::byte> kept,
                                  uint32_t bytes) {
  if (kept.size() < kUdpBytes) return std::nullopt;
  UdpHdr udp;
  std::memcpy(&udp, kept.data(), sizeof(udp));
  if (udp.length < kUdpBytes || udp.length > bytes) return std::nullopt;
  return ParsedUdp{udp.source, udp.destination,
                   static_cast<uint32_t>(udp.length) - kUdpBytes};
}

}  // namespace sim
