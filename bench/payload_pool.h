// payload_pool.h: the memory that all copies of one benchmark share, so that
// none has the better place: payload of a guest, taken in turn from end to end,
// and one buffer of the device.
//
// All of it is written once before it is first used. Anonymous memory that was
// only ever read is one page of zeroes at any number of addresses, so a copy
// out of it measures the nearest cache, whatever the size of the pool.

#ifndef BENCH_PAYLOAD_POOL_H_
#define BENCH_PAYLOAD_POOL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"

namespace bench {

class PayloadPool {
 public:
  static constexpr uint32_t kHeaderBytes = 44;

  // `bytes` of payload, a multiple of `payload_bytes`, which each message has.
  PayloadPool(uint64_t bytes, uint32_t payload_bytes);

  // Where the next message lies, its payload behind its header; behind the last
  // one comes the first again.
  virtqueue::GuestAddr Next();

  // The next message into received(), by one memcpy.
  void CopyNext();

  // With room for the rings and frames of some lines.
  virtqueue::OwnedGuestMemory& memory() { return memory_; }
  uint32_t payload_bytes() const { return payload_bytes_; }
  uint32_t message_bytes() const { return kHeaderBytes + payload_bytes_; }
  absl::Span<std::byte> received() { return absl::MakeSpan(received_); }

 private:
  const uint64_t bytes_;
  const uint32_t payload_bytes_;
  virtqueue::OwnedGuestMemory memory_;
  const virtqueue::GuestAddr first_;
  uint64_t next_ = 0;
  std::vector<std::byte> received_;
};

}  // namespace bench

#endif  // BENCH_PAYLOAD_POOL_H_
