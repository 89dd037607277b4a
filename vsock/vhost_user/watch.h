// watch.h: the checks of the simulator, for a guest that is no model.
//
// Looks at the host's end and at the device after each packet; nothing here
// changes them. What needs a look at the guest's end is left out: see
// vsock/end_properties.h for the rest. The guest's own part of the rules:
//
//   its fwd_cnt is between what it was and what was sent    5.10.6.3
//   it opens no connection that it has                      5.10.6.5
//
// That it sends within its credit the connection itself looks after; what of a
// header or a chain is malformed is dropped and counted, as ever.

#ifndef VSOCK_VHOST_USER_WATCH_H_
#define VSOCK_VHOST_USER_WATCH_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "vsock/device.h"
#include "vsock/packet.h"
#include "vsock/transport.h"

namespace vsock::vhost_user {

class Watch {
 public:
  struct Finding {
    absl::Status status;     // begins with a clause, or with a property
    SocketId socket;         // whose flow it is about; 0: none
    bool is_guests = false;  // fault; else it is ours
  };

  // Both outlive this.
  Watch(const Transport& host, const Device& device);

  // After a step. A breach that stays is found once.
  std::optional<Finding> AfterStep();

 private:
  std::optional<Finding> LookAtGuest();
  absl::Status LookAtHost();

  const Transport& host_;
  const Device& device_;
  uint64_t reopened_;
  bool breached_ = false;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_WATCH_H_
