// drop_policy.h: the seam at the receiver: keep a datagram or drop it.
//
// The owner of the queue counts; the policy only decides, and sees only a view.

#ifndef VSOCK_POLICY_DROP_POLICY_H_
#define VSOCK_POLICY_DROP_POLICY_H_

#include <cstdint>

#include "vsock/units.h"

namespace vsock {

struct QueueView {
  uint64_t charged;  // sk_rmem_alloc, bytes
  uint32_t limit;    // sk_rcvbuf, bytes
  uint32_t packets;
};

class DropPolicy {
 public:
  enum class Verdict { kKeep, kDropNew };

  virtual ~DropPolicy() = default;

  // `queue` is the state before a datagram charged `bytes` joins it.
  virtual Verdict Decide(const QueueView& queue, uint32_t bytes,
                         Instant now) = 0;
};

}  // namespace vsock

#endif  // VSOCK_POLICY_DROP_POLICY_H_
