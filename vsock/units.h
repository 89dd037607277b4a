// units.h: the numbers of virtio-vsock and of time, each a type of its own.
//
// Spec: virtio 1.3, 5.10.4 (guest_cid) and 5.10.6 (addresses).

#ifndef VSOCK_UNITS_H_
#define VSOCK_UNITS_H_

#include <compare>
#include <cstdint>

#include "virtqueue/id.h"

namespace vsock {

using virtqueue::Id;

using Cid = Id<struct CidTag, uint64_t>;  // 5.10.4: upper 32 bits are zero
using Port = Id<struct PortTag, uint32_t>;

// Well-known context ids: 5.10.4 and, for "local" and "any",
// linux/vm_sockets.h.
inline constexpr Cid kCidHypervisor{0};
inline constexpr Cid kCidLocal{1};
inline constexpr Cid kCidHost{2};
inline constexpr Cid kCidAny{0xffffffff};
inline constexpr Port kPortAny{0xffffffff};

struct Address {
  Cid cid;
  Port port;
  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

// A flow is named by both addresses, 5.10.6.2.
struct FlowKey {
  Address local;
  Address remote;
  friend constexpr auto operator<=>(const FlowKey&, const FlowKey&) = default;
};

using Nanos = Id<struct NanosTag, int64_t>;      // a length of time
using Instant = Id<struct InstantTag, int64_t>;  // since the run began

constexpr Instant operator+(Instant t, Nanos d) {
  return Instant(t.value() + d.value());
}
constexpr Nanos operator-(Instant a, Instant b) {
  return Nanos(a.value() - b.value());
}
constexpr Nanos operator+(Nanos a, Nanos b) {
  return Nanos(a.value() + b.value());
}
constexpr Nanos operator-(Nanos a, Nanos b) {
  return Nanos(a.value() - b.value());
}
constexpr Nanos operator*(Nanos d, int64_t n) { return Nanos(d.value() * n); }

}  // namespace vsock

#endif  // VSOCK_UNITS_H_
