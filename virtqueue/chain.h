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

#include "absl/types/span.h"
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

  static constexpr uint32_t kNoHead = ~uint32_t{0};
  // What a chain of a packed ring has beside its buffer id. So any number above
  // 65535 is of no chain that a split ring has.
  static constexpr uint32_t kPackedId = 1u << 16;

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
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_H_
