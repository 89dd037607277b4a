// datagram_queue.h: the bounded receive queue of one datagram socket.
//
// Source: PROPOSED datagrams on Linux's receive charge (sock_queue_rcv_skb):
// memory counts, not payload; what does not fit is dropped, counted and not
// reported to the sender.

#ifndef VSOCK_DATAGRAM_QUEUE_H_
#define VSOCK_DATAGRAM_QUEUE_H_

#include <cstdint>

#include "vsock/packet.h"
#include "vsock/policy/drop_policy.h"

namespace vsock {

class DatagramQueue {
 public:
  explicit DatagramQueue(uint32_t limit) : limit_(limit), most_limit_(limit) {}

  // Keeps the packet, charged `charge` bytes, or leaves it to the caller.
  bool Offer(PacketPtr& packet, uint32_t charge, DropPolicy& policy,
             Instant now) {
    const QueueView view = {charged_, limit_, packets_.size()};
    if (policy.Decide(view, charge, now) == DropPolicy::Verdict::kDropNew) {
      return false;
    }
    packet->charge = charge;
    charged_ += charge;
    packets_.PushBack(std::move(packet));
    return true;
  }

  // The oldest datagram, its charge returned. Null when empty.
  PacketPtr Take() {
    PacketPtr packet = packets_.PopFront();
    if (packet != nullptr) charged_ -= packet->charge;
    return packet;
  }

  const Packet* front() const { return packets_.front(); }
  bool empty() const { return packets_.empty(); }
  uint32_t size() const { return packets_.size(); }

  void Resize(uint32_t limit) {
    limit_ = limit;
    if (most_limit_ < limit) most_limit_ = limit;
  }
  uint32_t most_limit() const { return most_limit_; }  // there ever was
  uint32_t limit() const { return limit_; }            // sk_rcvbuf
  uint64_t charged() const { return charged_; }        // sk_rmem_alloc

 private:
  uint32_t limit_;
  uint32_t most_limit_;
  uint64_t charged_ = 0;
  PacketQueue packets_;
};

}  // namespace vsock

#endif  // VSOCK_DATAGRAM_QUEUE_H_
