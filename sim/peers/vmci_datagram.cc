#include "sim/peers/vmci_datagram.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

using vsock::Address;

VmciHandle HandleOf(Address address) {
  VmciHandle handle;
  handle.context = static_cast<uint32_t>(address.cid.value());
  handle.resource = address.port.value();
  return handle;
}

Address AddressOf(const VmciHandle& handle) {
  return {vsock::Cid(handle.context), vsock::Port(handle.resource)};
}

}  // namespace

std::vector<std::byte> MakeVmciDatagram(Address from, Address to,
                                        uint32_t bytes,
                                        absl::Span<const std::byte> kept) {
  VSOCK_CHECK(bytes <= kVmciMostPayload && kept.size() <= bytes);
  VmciHdr hdr;
  hdr.dst = HandleOf(to);
  hdr.src = HandleOf(from);
  hdr.payload_size = bytes;
  std::vector<std::byte> buffer(sizeof(hdr) + kept.size());
  std::memcpy(buffer.data(), &hdr, sizeof(hdr));
  std::copy(kept.begin(), kept.end(), buffer.begin() + sizeof(hdr));
  return buffer;
}

absl::StatusOr<VmciView> ParseVmciDatagram(absl::Span<const std::byte> buffer) {
  VmciHdr hdr;
  if (buffer.size() < sizeof(hdr)) {
    return absl::InvalidArgumentError("EINVAL: shorter than its header");
  }
  std::memcpy(&hdr, buffer.data(), sizeof(hdr));
  const absl::Span<const std::byte> kept = buffer.subspan(sizeof(hdr));
  if (hdr.payload_size > kVmciMostPayload || kept.size() > hdr.payload_size) {
    return absl::InvalidArgumentError("EINVAL: not as long as its header says");
  }
  return VmciView{.from = AddressOf(hdr.src),
                  .to = AddressOf(hdr.dst),
                  .bytes = static_cast<uint32_t>(hdr.payload_size),
                  .kept = kept};
}

}  // namespace sim
