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

  ConstSpans readable() const { return spans_.readable(); }
  absl::Span<const absl::Span<std::byte>> writable() const {
    return spans_.writable();
  }
  uint64_t readable_bytes() const { return Bytes(readable()); }
  uint64_t writable_bytes() const { return Bytes(writable()); }

  // By what the used ring names it, while it is pending: its head, or its
  // buffer id on a packed ring.
  uint32_t head() const { return head_ & 0xffff; }
  // Buffers described, without the one that refers to an indirect table.
  uint32_t descriptors() const { return usual() ? 1 : descriptors_; }
  // Popped and not yet completed.
  bool pending() const { return (head_ & kNotPending) == 0; }

 private:
  friend class ChainAppender;
  friend class DeviceQueue;
  friend class PackedDevice;
  friend class SplitDevice;

  // What may be in head_ beside the head, or id, of 16 bits: a tag. That of the
  // usual chain that is pending is kPacked or nothing, so one comparison finds
  // it and the format of its ring.
  static constexpr uint32_t kMaxHead = 0xffff;
  static constexpr uint32_t kPacked = 1u << 16;  // of a packed ring
  static constexpr uint32_t kNotPending = 1u << 17;
  static constexpr uint32_t kUnusual = 1u << 18;
  // An unusual one has the number of its queue's life, between two resets; a
  // queue pops no usual one while chains of an earlier life are pending.
  static constexpr uint32_t kLives = 1u << 13;
  static constexpr int kLifeShift = 19;
  static constexpr uint32_t UnusualTag(uint32_t life, bool packed) {
    return kUnusual | (packed ? kPacked : 0) | life << kLifeShift;
  }

  template <typename Spans>
  static uint64_t Bytes(const Spans& spans) {
    uint64_t sum = 0;
    for (const auto& span : spans) sum += span.size();
    return sum;
  }

  // Becomes what `state` says, but for what it is to its queue. InvalidArgument
  // if no chain of a ring of `size` in `memory` is so.
  absl::Status SetTo(const ChainState& state, const GuestMemory& memory,
                     uint16_t size);

  void Clear() {
    spans_.Clear();
    head_ = kNotPending | kUnusual;
    descriptors_ = 0;
  }
  // Makes it pending, of one descriptor; nothing else is known of it.
  void SetUsual(absl::Span<std::byte> bytes, bool writable, uint32_t head) {
    spans_.SetOnly(bytes, writable);
    head_ = head;
  }
  // Makes it pending with all that is known of it.
  void SetUnusual(uint32_t head, uint32_t tag) { head_ = head | tag; }
  void Complete() { head_ |= kNotPending; }

  bool packed() const { return (head_ & kPacked) != 0; }
  // Pending, and of a split ring.
  bool of_split() const { return (head_ & (kPacked | kNotPending)) == 0; }
  // Pending, usual, and of a packed ring.
  bool usual_of_packed() const { return (head_ ^ kPacked) <= kMaxHead; }
  uint32_t usual_id() const { return head_ ^ kPacked; }  // and then its id
  bool usual() const { return (head_ & kUnusual) == 0; }
  uint32_t tag() const { return head_ & ~kMaxHead; }
  // Of a packed ring that it takes.
  uint32_t slots() const { return usual() ? 1 : slots_; }

  uint32_t head_ = kNotPending | kUnusual;
  SpanList spans_;
  // If unusual.
  uint32_t descriptors_ = 0;
  uint32_t slots_ = 1;
  uint16_t turn_ = 0;  // with VIRTIO_F_IN_ORDER: see CompletionOrder
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_H_
