// chain.h: one popped chain: readable spans, then writable spans.
//
// Spec: virtio 1.3, 2.7.4 "Message Framing": where one span ends and the next
// begins means nothing, so use CopyFrom and CopyTo unless spans move whole.
// Trust: the spans are checked; the bytes in them are the driver's and may
// change while they are read, so copy first and judge the copy.
//
// A Chain is filled by DeviceQueue::Pop and completed exactly once, by Push or
// UnPop; then its bytes are the driver's again and it holds nothing. It may be
// popped into again, which does not allocate.

#ifndef VIRTQUEUE_CHAIN_H_
#define VIRTQUEUE_CHAIN_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"
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

  ConstSpans readable() const {
    return usual() ? ConstSpans(spans_.Only(pending() && !writes()))
                   : spans_.readable();
  }
  absl::Span<const absl::Span<std::byte>> writable() const {
    return usual() ? spans_.Only(writes()) : spans_.writable();
  }
  uint64_t readable_bytes() const { return Bytes(readable()); }
  uint64_t writable_bytes() const { return Bytes(writable()); }

  // By what the used ring names it, while it is pending: its head, or its
  // buffer id on a packed ring.
  uint32_t head() const { return head_ & 0xffff; }
  // Buffers described, without the one that refers to an indirect table.
  uint32_t descriptors() const {
    return usual() ? (pending() ? 1 : 0) : descriptors_;
  }
  // Popped and not yet completed.
  bool pending() const { return (head_ & kNotPending) == 0; }

 private:
  friend class ChainAppender;
  friend class DeviceQueue;
  friend class PackedDevice;
  friend class SplitDevice;

  // What is in head_ beside the head, or id, of 16 bits. A usual chain that is
  // pending has kWrites and kPacked alone, so one comparison finds it and the
  // format of its ring.
  static constexpr uint32_t kMaxHead = 0xffff;
  // If usual: its span is writable. Above the id as WRITE is in a packed
  // descriptor, so there id and direction are taken as they lie.
  static constexpr uint32_t kWrites = uint32_t{kDescWrite} << 16;
  static constexpr uint32_t kPacked = 1u << 18;  // of a packed ring
  static constexpr uint32_t kUnusual = 1u << 19;
  static constexpr uint32_t kNotPending = 1u << 20;  // and then that alone

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
    head_ = kNotPending;
    descriptors_ = 0;
  }
  // Makes it pending, of one descriptor; nothing else is known of it. `head`
  // has kWrites and kPacked with it.
  void SetUsual(absl::Span<std::byte> bytes, uint32_t head) {
    spans_.SetOnly(bytes);
    head_ = head;
  }
  // Makes it pending with all that is known of it.
  void SetUnusual(uint32_t head, bool packed, uint32_t life) {
    head_ = head | kUnusual | (packed ? kPacked : 0);
    life_ = life;
  }
  void Complete() { head_ = kNotPending; }

  bool packed() const { return (head_ & kPacked) != 0; }
  bool writes() const { return (head_ & kWrites) != 0; }
  // Pending, and of such a ring.
  bool pending_of(bool packed) const {
    return (head_ & (kPacked | kNotPending)) == (packed ? kPacked : 0);
  }
  // Pending, usual, and of a packed ring.
  bool usual_of_packed() const {
    return head_ - kPacked <= (kWrites | kMaxHead);
  }
  bool usual() const { return (head_ & kUnusual) == 0; }
  // Of a packed ring that it takes.
  uint32_t slots() const { return usual() ? 1 : slots_; }
  uint16_t turn() const { return usual() ? uint16_t{0} : turn_; }

  uint32_t head_ = kNotPending;
  SpanList spans_;
  // If unusual.
  uint32_t life_ = 0;  // of its queue, between two resets
  uint32_t descriptors_ = 0;
  uint32_t slots_ = 1;
  uint16_t turn_ = 0;  // with VIRTIO_F_IN_ORDER: see CompletionOrder
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_CHAIN_H_
