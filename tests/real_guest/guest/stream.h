// stream.h: a stream socket of AF_VSOCK in a program of the guest, as its cases
// use it: what has to succeed ends the case as failed if it does not.

#ifndef TESTS_REAL_GUEST_GUEST_STREAM_H_
#define TESTS_REAL_GUEST_GUEST_STREAM_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vsock::real_guest {

class Stream {
 public:
  Stream();  // not connected
  // Connected to that port of the host.
  static Stream To(uint32_t port);
  ~Stream() { Close(); }
  Stream(Stream&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Stream& operator=(Stream&&) = delete;

  // False: errno says why not.
  bool TryBind(uint32_t port);
  bool TryConnect(uint32_t port);
  // Less than all, or -1 and errno, and no signal.
  ssize_t TrySend(std::string_view bytes, int flags = 0);
  ssize_t TryRead(char* bytes, size_t max, int flags = 0);

  void Listen(uint32_t port);
  Stream Accept();
  void Send(std::string_view bytes);  // all of them
  std::string Read(size_t max);       // one call
  std::string ReadExactly(size_t bytes);
  std::string ReadToEnd(size_t at_a_time = 65536);
  void ShutDownSend();
  void Close();

  void SetBufferSize(uint64_t bytes);  // and both its limits
  void SetLowWater(int bytes);
  // Whether one of `events` (POLLIN, ...) came true in time.
  bool Poll(short events, int milliseconds) const;

 private:
  explicit Stream(int fd) : fd_(fd) {}

  int fd_;
};

// Sends all of `bytes` while it reads as many, and returns those.
std::string Exchange(Stream& stream, std::string_view bytes);

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_STREAM_H_
