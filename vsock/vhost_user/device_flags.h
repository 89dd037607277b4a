// device_flags.h: the command line of the device program.

#ifndef VSOCK_VHOST_USER_DEVICE_FLAGS_H_
#define VSOCK_VHOST_USER_DEVICE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vsock/vhost_user/server.h"

namespace vsock::vhost_user {

// What the flags ask for; `log` is left to the caller. Cancelled: --help was
// asked. InvalidArgument names the flag that is at fault.
absl::StatusOr<Server::Options> ReadDeviceFlags(
    const std::vector<std::string>& args);

std::string DeviceHelp();

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_DEVICE_FLAGS_H_
