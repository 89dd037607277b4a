#include "vsock/socket_error.h"

#include "absl/strings/str_cat.h"

namespace vsock {
namespace {

absl::Status Named(absl::StatusCode code, absl::string_view name,
                   absl::string_view what) {
  return absl::Status(code, absl::StrCat(name, ": ", what));
}

}  // namespace

absl::Status WouldBlock(absl::string_view what) {
  return Named(absl::StatusCode::kUnavailable, "EAGAIN", what);
}
absl::Status MessageTooLong(absl::string_view what) {
  return Named(absl::StatusCode::kOutOfRange, "EMSGSIZE", what);
}
absl::Status BrokenPipe(absl::string_view what) {
  return Named(absl::StatusCode::kFailedPrecondition, "EPIPE", what);
}
absl::Status InvalidCall(absl::string_view what) {
  return Named(absl::StatusCode::kInvalidArgument, "EINVAL", what);
}
absl::Status NoDevice(absl::string_view what) {
  return Named(absl::StatusCode::kNotFound, "ENODEV", what);
}
absl::Status NoBuffers(absl::string_view what) {
  return Named(absl::StatusCode::kResourceExhausted, "ENOBUFS", what);
}
absl::Status NotConnected(absl::string_view what) {
  return Named(absl::StatusCode::kFailedPrecondition, "ENOTCONN", what);
}
absl::Status AddressInUse(absl::string_view what) {
  return Named(absl::StatusCode::kAlreadyExists, "EADDRINUSE", what);
}
absl::Status ConnectionReset(absl::string_view what) {
  return Named(absl::StatusCode::kAborted, "ECONNRESET", what);
}
absl::Status TimedOut(absl::string_view what) {
  return Named(absl::StatusCode::kDeadlineExceeded, "ETIMEDOUT", what);
}
absl::Status ProtocolError(absl::string_view what) {
  return Named(absl::StatusCode::kInternal, "EPROTO", what);
}
absl::Status NoSuchSocket() {
  return Named(absl::StatusCode::kNotFound, "EBADF", "no such socket");
}
absl::Status IsConnected(absl::string_view what) {
  return Named(absl::StatusCode::kAlreadyExists, "EISCONN", what);
}

}  // namespace vsock
