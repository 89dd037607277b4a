// send_buffer.h: what a datagram sender is charged, and when it may go on.
//
// Source: PROPOSED datagrams of 2023 and 2026 on Linux's generic socket code
// (net/core/sock.c): the test comes before the charge, so one datagram may
// overshoot the limit; the charge returns when the layer below frees the
// packet; a blocked sender wakes when half is free.

#ifndef VSOCK_SEND_BUFFER_H_
#define VSOCK_SEND_BUFFER_H_

#include <cstdint>

#include "virtqueue/check.h"

namespace vsock {

class SendBuffer {
 public:
  explicit SendBuffer(uint32_t limit) : limit_(limit) {}

  // Whether another datagram is admitted.
  bool HasRoom() const { return charged_ < limit_; }

  void Charge(uint32_t bytes) { charged_ += bytes; }

  void Release(uint32_t bytes) {
    VSOCK_CHECK(bytes <= charged_);
    charged_ -= bytes;
  }

  // Write space is announced only from half full downwards.
  bool WakesWriter() const { return charged_ <= limit_ / 2; }

  void Resize(uint32_t limit) { limit_ = limit; }

  uint32_t limit() const { return limit_; }      // sk_sndbuf
  uint64_t charged() const { return charged_; }  // sk_wmem_alloc

 private:
  uint32_t limit_;
  uint64_t charged_ = 0;
};

}  // namespace vsock

#endif  // VSOCK_SEND_BUFFER_H_
