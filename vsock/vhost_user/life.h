// life.h: the host's sockets for one driver, from its first ring to its reset,
// and the device before them, which comes and goes with the rings.
//
// Only assembly; the rules are in vsock/transport.h and vsock/device.h. While a
// guest is paused its rings are stopped and its connections live on.

#ifndef VSOCK_VHOST_USER_LIFE_H_
#define VSOCK_VHOST_USER_LIFE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/used_event_lint.h"
#include "vsock/device.h"
#include "vsock/features.h"
#include "vsock/packet.h"
#include "vsock/policy/proposal.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/sockets.h"

namespace vsock::vhost_user {

class Life {
 public:
  struct Options {
    Cid guest_cid;
    Proposal proposal = kLinux2023;      // if datagrams are offered
    uint64_t payload_bytes = 256 << 20;  // memory for payloads
  };

  // `features` are what the driver accepted. ResourceExhausted: no memory.
  static absl::StatusOr<std::unique_ptr<Life>> Create(const Options& options,
                                                      Features features);
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // A device serves these rings, which no other does. Errors name the clause
  // that the rings break. `memory` may go away after Detach.
  absl::Status Attach(const virtqueue::GuestMemory& memory,
                      const DeviceSetup& setup);

  // The device, which has nothing in hand, lets go of the rings. Returns where
  // they are.
  std::array<RingBase, kQueues> Detach();

  // Looks into the rings for a driver that never wrote used_event
  // (virtqueue/used_event_lint.h): the queue where that comes out, once each.
  std::optional<size_t> FindUnwrittenUsedEvent();

  // Null while there is none.
  Device* device() { return device_.get(); }
  Transport& transport() { return transport_; }
  Sockets& sockets() { return sockets_; }

 private:
  Life(const Options& options, Features features,
       virtqueue::OwnedGuestMemory memory);

  const Options options_;
  virtqueue::OwnedGuestMemory memory_;
  PayloadArena arena_;
  PacketPool pool_;
  PacketQueue send_list_;
  Router router_;
  TailDrop tail_drop_;
  Transport transport_;
  Sockets sockets_;
  std::unique_ptr<Device> device_;
  // Of the device's split rings with an event index, until one has found it.
  std::array<std::optional<virtqueue::UsedEventLint>, kQueues> lints_;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_LIFE_H_
