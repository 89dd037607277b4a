// wire_log.h: every packet that crossed the rings, read from guest memory.
//
// A packet of the guest is logged when the driver makes it available, one of
// the host when the device marks its buffer used.

#ifndef TESTS_SUPPORT_WIRE_LOG_H_
#define TESTS_SUPPORT_WIRE_LOG_H_

#include <cstdint>
#include <vector>

#include "tests/support/ring_view.h"
#include "vsock/driver.h"
#include "vsock/hdr.h"

namespace vsock {

struct WirePacket {
  bool from_guest;
  VsockHdr hdr;
  uint32_t used_len = 0;  // of the rx buffer

  bool is(Op op) const { return hdr.is(op); }
};

class WireLog {
 public:
  WireLog(const virtqueue::GuestMemory& memory, const RingLayout& layout)
      : tx_(memory, layout.tx, layout.size),
        rx_(memory, layout.rx, layout.size) {}

  // To be called often enough that neither ring turns over in between.
  void Observe();

  const std::vector<WirePacket>& packets() const { return packets_; }
  void Clear() { packets_.clear(); }

  // Of these, the ones with that op; the ones of one side.
  std::vector<WirePacket> Only(Op op) const;
  std::vector<WirePacket> From(bool guest) const;

 private:
  RingView tx_;
  RingView rx_;
  uint16_t tx_seen_ = 0;
  uint16_t rx_seen_ = 0;
  std::vector<WirePacket> packets_;
};

}  // namespace vsock

#endif  // TESTS_SUPPORT_WIRE_LOG_H_
