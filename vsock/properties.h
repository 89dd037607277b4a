// properties.h: what must hold in every run, whatever is sent.
//
// One guest, its device and the host are looked at from outside, between steps;
// nothing here changes them. The properties, and where each is looked at:
//
//   1. stream credit: no more in flight than was announced, no credit that the
//      receiver has not given                          after every step
//   2. stream bytes: accepted = read + queued + under way, and nothing is under
//      way at rest unless the connection was reset     after every step, at
//      rest
//   3. fwd_cnt advances by the bytes of the packets that were read, no other
//                                                      after every step
//   4. at rest no sender waits whose receiver has room and nothing to read, and
//      no sleeper for what has come true               at rest
//   5. a bounded number of steps between two signs of progress
//                                                      after every step
//   6. receive memory within what was announced        after every step
//   7. datagrams: sent = read + lost with a cause + queued + under way
//                                                      after every step, at
//                                                      rest
//   8. a send charge returns whatever becomes of the datagram
//                                                      at rest
//   9. every chain is returned once                    after every step, at
//   rest
//  10. at rest no ring or list has work that its idle consumer was not told of
//                                                      at rest
//  11. an RST is never answered; nothing but a REQUEST goes out before the peer
//      has acknowledged; no flow is opened while it is held
//                                                      after every step
//
// Rest is when every worker sleeps and no packet is in hand. Both endpoints are
// ours: a peer that breaks the rules breaks these, too.

#ifndef VSOCK_PROPERTIES_H_
#define VSOCK_PROPERTIES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "vsock/device.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/socket.h"
#include "vsock/transport.h"

namespace vsock {

class Properties {
 public:
  // All three outlive this.
  Properties(Guest& guest, Host& host, Device& device)
      : guest_(guest), host_(host), device_(device) {}

  // After a call or a step: the sums, and the sockets it was about.
  // FailedPrecondition names what was breached, and the socket.
  absl::Status AfterStep();

  // The same for all sockets, and what must hold at rest.
  absl::Status AtRest();

 private:
  // Steps without progress that are no livelock: each worker may look at each
  // descriptor of its ring in vain, a few times.
  uint64_t PatienceSteps() const;

  absl::Status CheckSums();
  absl::Status CheckProgress();
  absl::Status CheckSocket(Transport& here, Transport& there, SocketId id);
  absl::Status CheckStream(Transport& here, Transport& there,
                           const Socket& socket);
  absl::Status CheckDatagram(Transport& here, const Socket& socket);
  absl::Status CheckSocketAtRest(Transport& here, Transport& there,
                                 const Socket& socket);
  absl::Status CheckRingsAtRest();
  absl::Status CheckDatagramsAtRest();
  absl::Status CheckQueuedDatagrams();

  Guest& guest_;
  Host& host_;
  Device& device_;
  uint64_t progress_ = 0;
  uint64_t steps_without_progress_ = 0;
};

}  // namespace vsock

#endif  // VSOCK_PROPERTIES_H_
