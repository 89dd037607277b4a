// chain.h: one popped chain: readable spans, then writable spans.
//
// Spec: virtio 1.3, 2.7.4 "Message Framing": where one span ends and the next
// begins means nothing, so use CopyFrom and CopyTo unless spans move whole.
// Trust: the spans are checked; the bytes in them are the driver's and may
// change while they are read, so copy first and judge the copy.
//
// A Chain is filled by DeviceQueue::Pop and completed exactly once, by Push or
// UnPop; then it may be popped into again, which does not allocate.

#ifndef VIRTQUEUE_CHAIN_H_
#define VIRTQUEUE_CHAIN_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/span_list.h"

namespace virtqueue {

class Chain {
 public:
  Chain() = default;
  // The chain in `other` is from now on completed here.
  Chain(Chain&& other) noexcept;
  Chain& operator=(Chain&& other) noexcept;

  // Copies the readable bytes from `offset` on, as many as there are or as
  // `into` holds; says how many.
  size_t CopyFrom(uint64_t offset, absl::Span<std::byte> into) const;

  // Copies `from` over the writable bytes from `offset` on, as far as they go;
  // says how many.
  size_t CopyTo(uint64_t offset, absl::Span<const std::byte> from);

  // A pending chain of `memory` as numbers. DeviceQueue::Restore makes it anew.
  ChainState Save(const GuestMemory& memory) const;

  absl::Span<const absl::Span<const std::byte>> readable() const {
    return readable_.pieces();
  }
  absl::Span<const absl::Span<std::byte>> writable() const {
    return writable_.pieces();
  }
  uint64_t readable_bytes() const { return readable_.bytes(); }
  uint64_t writable_bytes() const { return writable_.bytes(); }

  // By what the used ring names it, while it is pending: its head, or its
  // buffer id on a packed ring.
  uint32_t head() const { return head_ & 0xffff; }
  // Buffers described, without the one that refers to an indirect table.
  uint32_t descriptors() const { return descriptors_; }
  // Popped and not yet completed.
  bool pending() const { return head_ != kNoHead; }

 private:
  friend class ChainAppender;
  friend class ChainWalker;
  friend class DeviceQueue;
  friend class PackedDevice;
  friend class PackedWalker;
  friend class SplitDevice;

  // What a chain has above its id, or head, of 16 bits is the tag of its queue:
  // that of a packed ring has kPackedId, and each life of a queue, between two
  // resets, has a number of 15 bits. So one comparison tells a queue its chains
  // from any other; kNoHead is of no queue.
  static constexpr uint32_t kNoHead = ~uint32_t{0};
  static constexpr uint32_t kPackedId = 1u << 16;
  // So has that of a queue with VIRTIO_F_IN_ORDER, whose chains have turns.
  static constexpr uint32_t kInOrder = 1u << 17;
  static constexpr uint32_t kLife = 1u << 18;
  static constexpr uint32_t kLives = (1u << 14) - 1;

  // The queue with that tag popped this, in this life.
  bool IsOf(uint32_t tag) const { return (head_ ^ tag) < kPackedId; }

  // Becomes what `state` says, but for what it is to its queue. InvalidArgument
  // if no chain of a ring of `size` in `memory` is so.
  absl::Status SetTo(const ChainState& state, const GuestMemory& memory,
                     uint16_t size);

  void Clear() {
    readable_.Clear();
    writable_.Clear();
    descriptors_ = 0;
  }

  SpanList<const std::byte> readable_;
  SpanList<std::byte> writable_;
  uint32_t descriptors_ = 0;
  uint32_t head_ = kNoHead;
  uint32_t slots_ = 0;  // of a packed ring that it takes
  uint16_t turn_ = 0;   // with kInOrder: see CompletionOrder
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_H_
