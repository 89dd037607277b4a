// vmci_datagram.h: one VMCI datagram: a header of 24 bytes, then the payload,
// in one flat buffer.
//
// Source: Linux include/linux/vmw_vmci_defs.h (struct vmci_datagram, struct
// vmci_handle, VMCI_MAX_DG_SIZE). A handle is a context id and a resource id;
// AF_VSOCK uses a socket's context id and port.
// Trust: Parse judges what the other side wrote.

#ifndef SIM_PEERS_VMCI_DATAGRAM_H_
#define SIM_PEERS_VMCI_DATAGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/endian.h"
#include "vsock/units.h"

namespace sim {

struct VmciHandle {
  virtqueue::Le32 context, resource;
};

struct VmciHdr {  // struct vmci_datagram
  VmciHandle dst, src;
  virtqueue::Le64 payload_size;
};
static_assert(sizeof(VmciHdr) == 24 && alignof(VmciHdr) == 1, "wire layout");

inline constexpr uint32_t kVmciHdrBytes = sizeof(VmciHdr);
inline constexpr uint32_t kVmciMostBytes = 17 * 4096;
inline constexpr uint32_t kVmciMostPayload = kVmciMostBytes - kVmciHdrBytes;
static_assert(kVmciMostPayload == 69608);

// Of a payload of `bytes`, `kept` are really there (vsock/packet.h).
std::vector<std::byte> MakeVmciDatagram(vsock::Address from, vsock::Address to,
                                        uint32_t bytes,
                                        absl::Span<const std::byte> kept);

struct VmciView {
  vsock::Address from;
  vsock::Address to;
  uint32_t bytes = 0;  // of payload
  absl::Span<const std::byte> kept;
};

// Errors: EINVAL for a buffer shorter than a header, for a payload above the
// most, and for one that is longer in the buffer than its header says.
absl::StatusOr<VmciView> ParseVmciDatagram(absl::Span<const std::byte> buffer);

}  // namespace sim

#endif  // SIM_PEERS_VMCI_DATAGRAM_H_
