// properties.h: what must hold in every run, whatever is sent.
//
// One guest, its device and the host are looked at from outside, between steps;
// nothing here changes them. The properties, by number, and what is looked at
// after every step (S) and at rest (R):
//
//   1. stream credit        S  no more in flight than was ever announced, no
//                              credit that the receiver has not given
//                           R  the sender knows what was announced
//   2. stream bytes         S  accepted = read + queued
//                           R  nothing is under way, in sum and for each flow
//   3. consumed bytes       S  fwd_cnt moves by the packets that were read
//   4. deadlock             R  no sender sleeps for credit while its receiver
//                              sleeps for more to read; no sleeper for what has
//                              come true; no update was due and not sent; no
//                              stream or close without its other end
//   5. livelock             S  bounded steps between two signs of progress
//   6. memory               S  receive queues within what was announced,
//                              queued replies within one ring
//   7. datagrams            S  no more read and lost than arrived
//                           R  sent = read + lost with a cause + queued
//   8. send charges         R  charge = that of the datagrams below the socket
//   9. chains               S  every chain is returned once
//  10. notifications        R  no ring or list has work that its idle consumer
//                              was not told of
//  11. connections          S  no RST is answered; nothing but a REQUEST goes
//                              out before the peer has acknowledged; no flow is
//                              opened while it is held
//
// Rest is when every worker sleeps. Both endpoints are ours: a peer that breaks
// the rules breaks these, too. For resets (12) there is no property of its own:
// all of these hold whenever a queue, or both, are reset and set up again.

#ifndef VSOCK_PROPERTIES_H_
#define VSOCK_PROPERTIES_H_

#include <cstdint>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "vsock/device.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/packet.h"
#include "vsock/socket.h"
#include "vsock/transport.h"

namespace vsock {

class Properties {
 public:
  // All three outlive this. Looks at one step in `stride`: a long run that
  // looks at each pays a quarter of its time for it, and what is breached stays
  // so.
  Properties(Guest& guest, Host& host, Device& device, uint32_t stride = 1)
      : guest_(guest), host_(host), device_(device), stride_(stride) {}

  // After a call or a step: the sums, and the sockets it was about.
  // FailedPrecondition names what was breached, and the socket.
  absl::Status AfterStep() {
    if (++unseen_steps_ < stride_) return absl::OkStatus();
    return LookAtStep();
  }

  // The same for all sockets, and what must hold at rest.
  absl::Status AtRest();

 private:
  // Steps without progress that are no livelock: each worker may look at each
  // descriptor of its ring in vain, a few times.
  uint64_t PatienceSteps() const;
  // Nothing of a stream waits for an rx buffer.
  bool AllUnderWayArrived() const { return device_.send_list().empty(); }

  absl::Status LookAtStep();
  absl::Status CheckSums();
  absl::Status CheckRings();
  absl::Status CheckTransport(const Transport& here, const Transport& there);
  absl::Status CheckProgress();
  absl::Status CheckSocket(Transport& here, Transport& there, SocketId id);
  absl::Status CheckStream(Transport& here, Transport& there,
                           const Socket& socket);
  absl::Status CheckFlow(Transport& here, const Socket& socket,
                         const Socket& other);

  // The device has stopped for want of rx buffers (5.10.6.1), and the guest,
  // whose memory its own sockets hold, has none to post. Not rest: it goes on
  // when they are read.
  bool IsStopped() const;
  absl::Status CheckRingsAtRest();
  absl::Status CheckStreamBytesAtRest();
  absl::Status CheckDatagramsAtRest();
  absl::Status CheckQueuedDatagrams();
  absl::Status CheckSocketAtRest(Transport& here, Transport& there,
                                 const Socket& socket);
  absl::Status CheckChargeAtRest(Transport& here, const Socket& socket);
  absl::Status CheckStreamAtRest(Transport& here, Transport& there,
                                 const Socket& socket);
  absl::Status CheckFlowAtRest(Transport& here, const Socket& socket,
                               const Socket& other);

  Guest& guest_;
  Host& host_;
  Device& device_;
  const uint32_t stride_;
  uint32_t unseen_steps_ = 0;
  uint64_t progress_ = 0;
  uint64_t steps_without_progress_ = 0;
  // What waits on the host's send list charges these sockets so much.
  absl::btree_map<SocketId, uint64_t> waiting_charges_;
};

}  // namespace vsock

#endif  // VSOCK_PROPERTIES_H_
