// host_program.h: something on the host that uses sockets to one guest.

#ifndef VSOCK_VHOST_USER_HOST_PROGRAM_H_
#define VSOCK_VHOST_USER_HOST_PROGRAM_H_

#include "vsock/units.h"
#include "vsock/vhost_user/sockets.h"

namespace vsock::vhost_user {

class HostProgram {
 public:
  virtual ~HostProgram() = default;
  // A driver has come to life. `sockets` is good until End.
  virtual void Begin(Sockets& sockets, Instant now) = 0;
  // Between two steps of the device, and after the users of sockets.
  virtual void Run(Instant now) = 0;
  // The driver is gone, and with it every socket.
  virtual void End() = 0;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_HOST_PROGRAM_H_
