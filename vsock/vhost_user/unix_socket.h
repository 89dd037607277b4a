// unix_socket.h: AF_UNIX stream sockets, none of which ever blocks.

#ifndef VSOCK_VHOST_USER_UNIX_SOCKET_H_
#define VSOCK_VHOST_USER_UNIX_SOCKET_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "vsock/vhost_user/file_descriptor.h"

namespace vsock::vhost_user {

// A socket that listens at a path, which is removed with it. What is left there
// of a process that is gone is replaced; a socket in use is not.
class UnixListener {
 public:
  static absl::StatusOr<UnixListener> Create(const std::string& path);
  UnixListener(UnixListener&&) = default;
  UnixListener& operator=(UnixListener&&) = delete;
  ~UnixListener();

  // The next connection; none is open if there is none.
  FileDescriptor Accept();

  int fd() const { return file_.get(); }
  const std::string& path() const { return path_; }

 private:
  UnixListener(FileDescriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  FileDescriptor file_;
  std::string path_;
};

// Connected at once, or the reason why not: a socket that does not exist, that
// nobody listens at, or whose backlog is full.
absl::StatusOr<FileDescriptor> ConnectUnix(const std::string& path);

// What one call moved.
struct Moved {
  size_t bytes = 0;
  bool would_block = false;
  bool ended = false;   // reading: the other side will write no more
  absl::Status status;  // the socket is of no more use
};

Moved ReadSome(int fd, absl::Span<std::byte> into);
// The same with the descriptors that come along, at most `most_files`; more
// than those are an error.
Moved ReadWithFiles(int fd, absl::Span<std::byte> into, size_t most_files,
                    std::vector<FileDescriptor>& files);
Moved WriteSome(int fd, absl::Span<const std::byte> from);
// With descriptors of the caller's beside the first byte.
Moved WriteWithFiles(int fd, absl::Span<const std::byte> from,
                     absl::Span<const int> files);

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_UNIX_SOCKET_H_
