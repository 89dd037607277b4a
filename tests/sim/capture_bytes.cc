#include "tests/sim/capture_bytes.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace sim {
namespace {

std::string Little(uint64_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value & 0xff));
    value >>= 8;
  }
  return out;
}

std::string Ends(const CapturePacket& packet) {
  return absl::StrCat(Little(packet.src_cid, 8), Little(packet.dst_cid, 8),
                      Little(packet.src_port, 4), Little(packet.dst_port, 4));
}

}  // namespace

std::string CaptureHead(uint32_t link_type) {
  return absl::StrCat(Little(0xa1b23c4d, 4), Little(2, 2), Little(4, 2),
                      Little(0, 8), Little(65536, 4), Little(link_type, 4));
}

std::string CaptureRecord(const CapturePacket& packet) {
  const uint32_t wire =
      packet.wire_bytes != 0 ? packet.wire_bytes : 76 + packet.len;
  std::string bytes =
      absl::StrCat(Ends(packet), Little(4, 2), Little(packet.transport, 2),
                   Little(packet.transport_bytes, 2), Little(0, 2),
                   Ends(packet), Little(packet.len, 4), Little(packet.type, 2),
                   Little(packet.op, 2), std::string(12, '\0'));
  bytes.resize(packet.kept);
  return absl::StrCat(Little(packet.seconds, 4), Little(packet.nanoseconds, 4),
                      Little(packet.kept, 4), Little(wire, 4), bytes);
}

}  // namespace sim
