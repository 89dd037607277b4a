// hdr.h: the header in front of every virtio-vsock packet, byte for byte.
//
// Spec: virtio 1.3, 5.10.6 "Device Operation". The datagram type is PROPOSED
// and in no published version: see docs/proposals.md.
// Trust: ParseHdr reads memory that the other side wrote. The header is copied
// once and only the copy is judged.

#ifndef VSOCK_HDR_H_
#define VSOCK_HDR_H_

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "virtqueue/endian.h"
#include "vsock/units.h"

namespace vsock {

// VIRTIO_VSOCK_TYPE_*, 5.10.6.
enum class Type : uint16_t {
  kStream = 1,
  kSeqpacket = 2,
  kDgram = 3,  // PROPOSED
};

// VIRTIO_VSOCK_OP_*, 5.10.6.
enum class Op : uint16_t {
  kInvalid = 0,
  kRequest = 1,   // open a connection
  kResponse = 2,  // the connection is open
  kRst = 3,       // it is not, or no longer
  kShutdown = 4,  // no more of this direction, see kShutdown*
  kRw = 5,        // payload
  kCreditUpdate = 6,
  kCreditRequest = 7,  // asks for a kCreditUpdate
};

std::ostream& operator<<(std::ostream& out, Op op);

// VIRTIO_VSOCK_SHUTDOWN_F_*, 5.10.6.5: hints, permanent once given.
inline constexpr uint32_t kShutdownReceive = 1;  // will receive no more
inline constexpr uint32_t kShutdownSend = 2;     // will send no more
inline constexpr uint32_t kShutdownBoth = kShutdownReceive | kShutdownSend;

// The largest payload of one packet; Linux's and every proposal's limit. The
// specification names none.
inline constexpr uint32_t kMaxPayload = 65536;

struct VsockHdr {  // struct virtio_vsock_hdr, 5.10.6
  virtqueue::Le64 src_cid, dst_cid;
  virtqueue::Le32 src_port, dst_port, len;
  virtqueue::Le16 type, op;
  virtqueue::Le32 flags, buf_alloc, fwd_cnt;

  Address source() const { return {Cid(src_cid), Port(src_port)}; }
  Address destination() const { return {Cid(dst_cid), Port(dst_port)}; }
  bool is(Type t) const { return type == static_cast<uint16_t>(t); }
  bool is(Op o) const { return op == static_cast<uint16_t>(o); }
  Op operation() const { return static_cast<Op>(uint16_t{op}); }

  void set_source(Address a) {
    src_cid = a.cid.value();
    src_port = a.port.value();
  }
  void set_destination(Address a) {
    dst_cid = a.cid.value();
    dst_port = a.port.value();
  }
  void set(Type t, Op o) {
    type = static_cast<uint16_t>(t);
    op = static_cast<uint16_t>(o);
  }
};
inline constexpr uint32_t kHdrBytes = 44;
static_assert(sizeof(VsockHdr) == kHdrBytes && alignof(VsockHdr) == 1,
              "wire layout");
static_assert(offsetof(VsockHdr, src_port) == 16 &&
                  offsetof(VsockHdr, len) == 24 &&
                  offsetof(VsockHdr, op) == 30 &&
                  offsetof(VsockHdr, fwd_cnt) == 40,
              "wire layout");

}  // namespace vsock

#endif  // VSOCK_HDR_H_
