// loopback.h: the sockets of one machine that talk to each other.
//
// Source: Linux net/vmw_vsock/vsock_loopback.c: context id 1, no rings; what is
// sent joins one list, and one worker hands each packet of it back to the same
// sockets. Both ends of every flow are in one table, told apart by their ports.
// Only assembly and the worker's two halves; the rules are in transport.h.
// Left out: seqpacket; the payload's pages are handed over, never copied.

#ifndef VSOCK_LOOPBACK_H_
#define VSOCK_LOOPBACK_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace vsock {

class Loopback {
 public:
  struct Options {
    Transport::Options transport;  // the context id is set here
    PayloadMode payload = PayloadMode::kReal;
    uint64_t payload_bytes = 64 << 20;  // memory for payloads, if real
  };

  // Errors: see OwnedGuestMemory::Create.
  static absl::StatusOr<std::unique_ptr<Loopback>> Create(
      const Options& options);

  Transport& transport() { return *transport_; }
  const PacketQueue& send_list() const { return send_list_; }

  // Puts a packet without payload on the list that no socket here sends.
  void Inject(const VsockHdr& hdr);

  // The worker takes the oldest packet: its sender is charged no longer.
  // Null if there is none. The last one has been delivered.
  const Packet* Take(Work& work);
  const Packet* in_hand() const { return in_hand_.get(); }
  // It hands what it took to the sockets.
  Work Deliver(Instant now);

 private:
  Loopback(const Options& options, virtqueue::OwnedGuestMemory memory);

  virtqueue::OwnedGuestMemory memory_;
  PayloadArena arena_;
  PacketPool pool_;
  PacketQueue send_list_;
  PacketPtr in_hand_;
  Router router_;
  TailDrop tail_drop_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace vsock

#endif  // VSOCK_LOOPBACK_H_
