// router.h: the send list a packet for a given context id joins.
//
// In a guest everything leaves by the one device; on the host each guest has
// a device, and so a list, of its own.

#ifndef VSOCK_ROUTER_H_
#define VSOCK_ROUTER_H_

#include "absl/container/flat_hash_map.h"
#include "virtqueue/check.h"
#include "vsock/packet.h"
#include "vsock/units.h"

namespace vsock {

class Router {
 public:
  // Packets for a context id without a list of its own; a guest's uplink.
  void SetDefault(PacketQueue& list) { default_ = &list; }

  void Add(Cid cid, PacketQueue& list) {
    VSOCK_CHECK(by_cid_.emplace(cid, &list).second);
  }

  // Null if nothing leads there: ENODEV.
  PacketQueue* Route(Cid cid) const {
    if (by_cid_.empty()) return default_;  // a guest: no hashing
    auto it = by_cid_.find(cid);
    return it == by_cid_.end() ? default_ : it->second;
  }

 private:
  PacketQueue* default_ = nullptr;
  absl::flat_hash_map<Cid, PacketQueue*> by_cid_;
};

}  // namespace vsock

#endif  // VSOCK_ROUTER_H_
