// guest.h: everything of one guest: its memory, sockets and driver.
//
// Only assembly; the rules are in transport.h and driver.h.

#ifndef VSOCK_GUEST_H_
#define VSOCK_GUEST_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/driver.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"

namespace vsock {

class Guest {
 public:
  struct Options {
    Transport::Options transport;
    Driver::Options driver;
    PayloadMode payload = PayloadMode::kReal;
    uint64_t payload_bytes = 64 << 20;  // guest memory for payloads, if real
  };

  // Errors: see Driver::Create and OwnedGuestMemory::Create.
  static absl::StatusOr<std::unique_ptr<Guest>> Create(const Options& options);

  const virtqueue::GuestMemory& memory() const { return memory_.memory(); }
  Transport& transport() { return *transport_; }
  Driver& driver() { return *driver_; }
  PacketPool& pool() { return pool_; }
  PacketQueue& send_list() { return send_list_; }

 private:
  Guest(const Options& options, virtqueue::OwnedGuestMemory memory);

  virtqueue::OwnedGuestMemory memory_;
  PayloadArena arena_;
  PacketPool pool_;
  PacketQueue send_list_;
  Router router_;
  TailDrop tail_drop_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Driver> driver_;
};

}  // namespace vsock

#endif  // VSOCK_GUEST_H_
