// file_descriptor.h: one open file, closed when nobody holds it any more.

#ifndef VSOCK_VHOST_USER_FILE_DESCRIPTOR_H_
#define VSOCK_VHOST_USER_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace vsock::vhost_user {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_FILE_DESCRIPTOR_H_
