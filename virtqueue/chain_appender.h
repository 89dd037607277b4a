// chain_appender.h: puts buffers into a chain, one after the other, and judges
// them; of either ring, which has its own words for what is wrong.

#ifndef VIRTQUEUE_CHAIN_APPENDER_H_
#define VIRTQUEUE_CHAIN_APPENDER_H_

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "virtqueue/chain.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {

class ChainAppender {
 public:
  struct Faults {  // how the driver broke a rule
    const char* too_long;
    const char* too_many_bytes;
    const char* out_of_order;
    const char* outside;
  };

  // A chain has at most `most` buffers. All that is referred to outlives the
  // appender, which is for one chain and empties that.
  ChainAppender(const GuestMemory& memory, const Faults& faults, uint32_t most,
                Chain& chain)
      : memory_(memory), faults_(faults), most_(most), chain_(chain) {
    chain_.Clear();
  }

  // The buffer of a descriptor with these flags. Says which rule the driver
  // broke; nullptr if none.
  const char* Append(uint64_t addr, uint32_t len, uint16_t flags);

  // The chain is complete, or else `fault` ended it and it is empty: says so.
  const char* End(const char* fault) {
    if (fault != nullptr) [[unlikely]] {
      chain_.Clear();
    } else {
      chain_.descriptors_ = count_;
    }
    return fault;
  }

 private:
  // Not of this appender, so that what it knows can be in registers.
  static const char* AppendPieces(GuestAddr at, uint32_t len, bool writable,
                                  const GuestMemory& memory,
                                  const Faults& faults, Chain& chain);

  const GuestMemory& memory_;
  const Faults& faults_;
  const uint32_t most_;
  Chain& chain_;
  uint32_t count_ = 0;
  uint64_t bytes_ = 0;
  bool writable_ = false;  // the last buffer was
};

// Inlined into each walk, as it is done for each descriptor.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline const char* ChainAppender::Append(
    uint64_t addr, uint32_t len, uint16_t flags) {
  if (++count_ > most_) [[unlikely]]
    return faults_.too_long;
  bytes_ += len;
  if (bytes_ > kMaxChainBytes) [[unlikely]]
    return faults_.too_many_bytes;
  const bool writable = (flags & kDescWrite) != 0;
  if (writable_ && !writable) [[unlikely]]
    return faults_.out_of_order;
  writable_ = writable;
  const auto whole = memory_.QuickSlice(GuestAddr(addr), len);
  if (!whole) [[unlikely]]
    return AppendPieces(GuestAddr(addr), len, writable, memory_, faults_,
                        chain_);
  chain_.spans_.Append(*whole, writable);
  return nullptr;
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_APPENDER_H_
