// capture_reader.h: recorded vsock traffic, as messages to be sent again.
//
// Format: pcap, link type 271 (vsockmon): a 32-byte header, then the packet
// header as on the ring (44 bytes, virtio 1.3, 5.10.6), then payload; all
// little-endian. Captures may keep only the beginning of each packet, so sizes
// come from the packet header's len.
// Trust: the file is a user's and may be hostile; an error names the file and
// the packet, counted from 1.
// Left out: payloads; messages of sequenced packets and datagrams; pcapng
// unless libpcap reads it.

#ifndef SIM_CAPTURE_READER_H_
#define SIM_CAPTURE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vsock/hdr.h"
#include "vsock/units.h"

namespace sim {

// Any packet.
struct CapturedPacket {
  vsock::Instant at;
  vsock::VsockHdr hdr;
};

// All of a capture, in its order.
absl::StatusOr<std::vector<CapturedPacket>> ReadPackets(
    const std::string& path);

// One RW packet with payload.
struct CapturedMessage {
  vsock::Nanos gap{0};  // since the packet before it that is a message, or
                        // since the flow's first packet
  uint32_t bytes = 0;
  bool reply = false;  // sent by the one who was connected to
};

// A stream connection, seen from the end that sent the first packet.
struct CapturedFlow {
  vsock::FlowKey key;
  std::vector<CapturedMessage> messages;
};

// Flows in order of their first packet; those without payload are left out.
absl::StatusOr<std::vector<CapturedFlow>> ReadCapture(const std::string& path);

}  // namespace sim

#endif  // SIM_CAPTURE_READER_H_
