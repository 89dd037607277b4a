// loopback_properties.h: what must hold of a loopback, whatever is sent.
//
// Looked at from outside, between two steps; nothing here changes it. The
// numbers are those of properties.h, as far as they apply: there is no ring.
//
//   1. stream credit     no more in flight than was ever announced, no credit
//                        that the receiver has not given
//   2. stream bytes      accepted = read + queued; sent = arrived + on the list
//   6. memory            receive queues within what was announced
//   7. datagrams         sent = arrived + on the list; arrived = read + lost
//                        with a cause + queued
//   8. send charges      charge = that of the datagrams on the list
//  11. connections       no RST is answered; nothing but a REQUEST goes out
//                        before the peer has acknowledged

#ifndef VSOCK_LOOPBACK_PROPERTIES_H_
#define VSOCK_LOOPBACK_PROPERTIES_H_

#include "absl/status/status.h"
#include "vsock/loopback.h"

namespace vsock {

// FailedPrecondition names what was breached, and the port.
absl::Status CheckLoopback(Loopback& loopback);

}  // namespace vsock

#endif  // VSOCK_LOOPBACK_PROPERTIES_H_
