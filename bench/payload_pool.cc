#include "bench/payload_pool.h"

#include <cstring>

#include "virtqueue/check.h"
#include "virtqueue/ring_format.h"

namespace bench {
namespace {

using virtqueue::GuestAddr;
using virtqueue::kCacheLine;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kBesidesPool = 1 << 20;
constexpr int kTouched = 0xa5;

}  // namespace

// The payload begins on a line, the header just before it.
PayloadPool::PayloadPool(uint64_t bytes, uint32_t payload_bytes)
    : bytes_(bytes),
      payload_bytes_(payload_bytes),
      memory_(
          *virtqueue::OwnedGuestMemory::Create(bytes + kPage + kBesidesPool)),
      first_(memory_.Allocate(kCacheLine + bytes, kPage) +
             (kCacheLine - kHeaderBytes)),
      received_(kHeaderBytes + payload_bytes) {
  VSOCK_CHECK(bytes % payload_bytes == 0);
  const auto all = static_cast<uint32_t>(kHeaderBytes + bytes);
  std::memset(memory_.memory().Slice(first_, all)->data(), kTouched, all);
}

GuestAddr PayloadPool::Next() {
  const GuestAddr at = first_ + next_;
  next_ = (next_ + payload_bytes_) % bytes_;
  return at;
}

void PayloadPool::CopyNext() {
  const uint32_t bytes = message_bytes();
  const auto from = memory_.memory().TrySlice(Next(), bytes);
  std::memcpy(received_.data(), from.data(), bytes);
}

}  // namespace bench
