// drop.h: why a packet was lost, counted where it was lost.
//
// A loss that the model is about is no error: it has a reason and two counters.

#ifndef VSOCK_DROP_H_
#define VSOCK_DROP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "vsock/hdr.h"
#include "vsock/units.h"

namespace vsock {

enum class DropReason : uint8_t {
  kReceiveBufferFull,  // datagram: the socket's SO_RCVBUF is used up
  kNoSocket,           // datagram: nothing is bound to the port
  kRxBufferTooSmall,   // datagram: larger than the guest's rx buffer
  kWrongCid,           // source or destination is not this device's
  kNotNegotiated,      // the type's feature bit was not accepted
  kPeerMismatch,       // datagram: the socket is connected to somebody else
  kShutDown,           // datagram: the socket receives no more
  kMalformed,          // header and chain disagree, or an unknown op
  kNoMemory,           // no room for the payload
  kSocketClosed,       // queued below or in a socket that went away
};
inline constexpr size_t kDropReasons = 10;

absl::string_view DropReasonName(DropReason reason);

class DropCounters {
 public:
  struct Count {
    uint64_t packets = 0;
    uint64_t bytes = 0;  // of payload
  };

  void Add(DropReason reason, uint64_t bytes) {
    Count& count = counts_[static_cast<size_t>(reason)];
    ++count.packets;
    count.bytes += bytes;
  }

  const Count& operator[](DropReason reason) const {
    return counts_[static_cast<size_t>(reason)];
  }

  Count total() const {
    Count sum;
    for (const Count& count : counts_) {
      sum.packets += count.packets;
      sum.bytes += count.bytes;
    }
    return sum;
  }

 private:
  std::array<Count, kDropReasons> counts_ = {};
};

// One lost packet, for a harness that books losses by flow.
struct Loss {
  DropReason reason;
  Type type;
  Address source;
  Address destination;
  uint32_t bytes;
};

// Where a component counts what it loses; the harness may take the single
// losses, which are otherwise forgotten.
class LossLog {
 public:
  void Add(DropReason reason, const VsockHdr& hdr) {
    counters_.Add(reason, hdr.len);
    datagrams_ += hdr.is(Type::kDgram);
    if (!recording_) return;
    recent_.push_back({reason, static_cast<Type>(uint16_t{hdr.type}),
                       hdr.source(), hdr.destination(), hdr.len});
  }

  void Record() { recording_ = true; }
  std::vector<Loss>& recent() { return recent_; }
  const DropCounters& counters() const { return counters_; }
  uint64_t datagrams() const { return datagrams_; }  // of what was lost

 private:
  DropCounters counters_;
  uint64_t datagrams_ = 0;
  bool recording_ = false;
  std::vector<Loss> recent_;
};

}  // namespace vsock

#endif  // VSOCK_DROP_H_
