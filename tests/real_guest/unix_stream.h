// unix_stream.h: a stream socket of AF_UNIX on the host. Nothing waits longer
// than half a minute.

#ifndef TESTS_REAL_GUEST_UNIX_STREAM_H_
#define TESTS_REAL_GUEST_UNIX_STREAM_H_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vsock::real_guest {

class UnixStream {
 public:
  explicit UnixStream(int fd);  // connected; owns it
  UnixStream(UnixStream&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), late_(other.late_) {}
  UnixStream& operator=(UnixStream&&) = delete;
  ~UnixStream();

  // None: nobody listens there.
  static std::optional<UnixStream> To(const std::string& path);

  // False: the peer will not read it all.
  bool Send(std::string_view bytes);
  // At most `max` bytes; empty: the end, or a reset, or late.
  std::string Read(size_t max);
  std::string ReadExactly(size_t bytes);  // or up to the end
  std::string ReadToEnd();
  std::string ReadLine();  // without its end
  void ShutDownSend();

  // A call has waited in vain.
  bool late() const { return late_; }

 private:
  void Note(ssize_t result);

  int fd_;
  bool late_ = false;
};

// A socket that listens there.
int ListenOn(const std::string& path);

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_UNIX_STREAM_H_
