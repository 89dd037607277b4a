// tail_drop.h: Linux's rule at the receive buffer of a datagram socket.
//
// Source: sock_queue_rcv_skb: drop when the charge has reached sk_rcvbuf. The
// test comes before the charge, so one datagram may overshoot.

#ifndef VSOCK_POLICY_TAIL_DROP_H_
#define VSOCK_POLICY_TAIL_DROP_H_

#include "vsock/policy/drop_policy.h"

namespace vsock {

class TailDrop final : public DropPolicy {
 public:
  Verdict Decide(const QueueView& queue, uint32_t /*bytes*/,
                 Instant /*now*/) override {
    return queue.charged < queue.limit ? Verdict::kKeep : Verdict::kDropNew;
  }
};

}  // namespace vsock

#endif  // VSOCK_POLICY_TAIL_DROP_H_
