// socket_error.h: the caller's fault, named as a socket user knows it.
//
// Every absl::Status of the socket calls begins with the errno that Linux
// gives, so a test or a reader can compare the two.

#ifndef VSOCK_SOCKET_ERROR_H_
#define VSOCK_SOCKET_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace vsock {

absl::Status WouldBlock(absl::string_view what);       // EAGAIN
absl::Status MessageTooLong(absl::string_view what);   // EMSGSIZE
absl::Status BrokenPipe(absl::string_view what);       // EPIPE
absl::Status InvalidCall(absl::string_view what);      // EINVAL
absl::Status NoDevice(absl::string_view what);         // ENODEV
absl::Status NoBuffers(absl::string_view what);        // ENOBUFS
absl::Status NotConnected(absl::string_view what);     // ENOTCONN
absl::Status AddressInUse(absl::string_view what);     // EADDRINUSE
absl::Status ConnectionReset(absl::string_view what);  // ECONNRESET
absl::Status TimedOut(absl::string_view what);         // ETIMEDOUT
absl::Status ProtocolError(absl::string_view what);    // EPROTO
absl::Status NoSuchSocket();                           // EBADF
absl::Status IsConnected(absl::string_view what);      // EISCONN

}  // namespace vsock

#endif  // VSOCK_SOCKET_ERROR_H_
