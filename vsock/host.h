// host.h: the host's sockets, and a device for each guest.
//
// Only assembly; the rules are in transport.h and device.h.

#ifndef VSOCK_HOST_H_
#define VSOCK_HOST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/device.h"
#include "vsock/driver.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"

namespace vsock {

class Host {
 public:
  struct Options {
    Transport::Options transport;
    PayloadMode payload = PayloadMode::kReal;
    uint64_t payload_bytes = 64 << 20;  // memory for payloads, if real
  };

  // What a device is told of the guest it serves.
  struct GuestPort {
    Cid cid;
    RingLayout rings;
    uint32_t packet_weight = 256;
    uint32_t byte_weight = 512 << 10;
  };

  static absl::StatusOr<std::unique_ptr<Host>> Create(const Options& options);

  // The device of a guest with that memory, which outlives the host. Errors:
  // see Device::Create. A context id is added once.
  absl::StatusOr<Device*> AddGuest(const virtqueue::GuestMemory& memory,
                                   const GuestPort& port);

  Transport& transport() { return *transport_; }
  PacketPool& pool() { return pool_; }

 private:
  Host(const Options& options, virtqueue::OwnedGuestMemory memory);

  virtqueue::OwnedGuestMemory memory_;
  PayloadArena arena_;
  PacketPool pool_;
  Router router_;
  TailDrop tail_drop_;
  std::vector<std::unique_ptr<PacketQueue>> send_lists_;
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace vsock

#endif  // VSOCK_HOST_H_
