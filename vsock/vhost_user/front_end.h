// front_end.h: the connection of a front end: whole messages in, answers out.
//
// A message is read to its end and not beyond, so the descriptors that come
// with a read belong to it. Answers are a few bytes that a front end waits for:
// one that does not take them is not spoken to any more.

#ifndef VSOCK_VHOST_USER_FRONT_END_H_
#define VSOCK_VHOST_USER_FRONT_END_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vsock/vhost_user/backend.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {

class FrontEnd {
 public:
  // `backend` outlives this.
  FrontEnd(FileDescriptor connection, Backend& backend)
      : connection_(std::move(connection)), backend_(backend) {}

  // Reads on, and handles a message once it is whole; what came behind it is
  // for the next call. Not OK: the connection is over. OutOfRange: the front
  // end has closed it, after a whole message.
  absl::Status OnReadable();

  int fd() const { return connection_.get(); }
  uint64_t messages() const { return messages_; }  // handled so far

 private:
  // Reads towards `want` bytes in all. False: there are not so many yet.
  absl::StatusOr<bool> Fill(size_t want);
  absl::Status HandleMessage();

  FileDescriptor connection_;
  Backend& backend_;
  // The message that is coming in.
  std::array<std::byte, kHeaderBytes + kMaxPayloadBytes> bytes_;
  size_t filled_ = 0;
  std::optional<Header> header_;
  std::vector<FileDescriptor> files_;
  uint64_t messages_ = 0;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_FRONT_END_H_
