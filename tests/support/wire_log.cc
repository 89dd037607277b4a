#include "tests/support/wire_log.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace vsock {
namespace {

VsockHdr HeaderAt(const RingView& ring, uint16_t head) {
  VsockHdr hdr;
  const std::vector<std::byte> bytes = ring.Bytes(head, kHdrBytes);
  std::memcpy(&hdr, bytes.data(), bytes.size());
  return hdr;
}

}  // namespace

void WireLog::Observe() {
  for (; tx_seen_ != tx_.avail_idx(); ++tx_seen_) {
    packets_.push_back({true, HeaderAt(tx_, tx_.AvailHead(tx_seen_))});
  }
  for (; rx_seen_ != rx_.used_idx(); ++rx_seen_) {
    const RingView::Used used = rx_.UsedEntry(rx_seen_);
    packets_.push_back(
        {false, HeaderAt(rx_, static_cast<uint16_t>(used.id)), used.len});
  }
}

std::vector<WirePacket> WireLog::Only(Op op) const {
  std::vector<WirePacket> found;
  std::copy_if(packets_.begin(), packets_.end(), std::back_inserter(found),
               [op](const WirePacket& packet) { return packet.is(op); });
  return found;
}

std::vector<WirePacket> WireLog::From(bool guest) const {
  std::vector<WirePacket> found;
  std::copy_if(
      packets_.begin(), packets_.end(), std::back_inserter(found),
      [guest](const WirePacket& packet) { return packet.from_guest == guest; });
  return found;
}

}  // namespace vsock
