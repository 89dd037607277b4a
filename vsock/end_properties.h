// end_properties.h: what must hold at one end, whoever is at the other.
//
// The part of properties.h that needs no look at the peer, so it holds against
// one that is no model, too; and what a peer can be held to that does as it
// likes. By the numbers of properties.h:
//
//   1. stream credit      no more may be sent than was announced
//   2. stream bytes       accepted = read + queued
//   3. consumed bytes     fwd_cnt moves by the packets that were read
//   6. memory             receive queues within what was announced
//   7. datagrams          no more read and lost than arrived
//  11. connections        no RST is answered; nothing but a REQUEST goes out
//                         before the peer has acknowledged

#ifndef VSOCK_END_PROPERTIES_H_
#define VSOCK_END_PROPERTIES_H_

#include "absl/status/status.h"
#include "vsock/socket.h"
#include "vsock/transport.h"

namespace vsock {

// Of all sockets in sum; of one. FailedPrecondition names what was breached.
absl::Status CheckEnd(const Transport& here);
absl::Status CheckEnd(const Transport& here, const Socket& socket);

// Whether the peer of a stream keeps to its side of it. DataLoss begins with
// the clause: its fwd_cnt says that it has consumed what was not sent, or takes
// back what it said (5.10.6.3).
absl::Status CheckPeer(const Socket& socket);

}  // namespace vsock

#endif  // VSOCK_END_PROPERTIES_H_
