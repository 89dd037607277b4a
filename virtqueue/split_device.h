// split_device.h: the device's half of a split ring; see device_queue.h.
//
// Spec: virtio 1.3, 2.7.4 to 2.7.8 and 2.7.10.
// Trust: all it reads was written by the driver and may be hostile. How each
// kind of malformed ring ends:
//
//   available idx ahead of the used idx by more than N       broken, 2.7.13
//   available idx that goes back over a chain popped         broken, 2.7.6.1
//   head that is no descriptor of the table                  broken, 2.7.6
//   next that is no descriptor of its table                  broken, 2.7.5
//   more than N descriptors, hence every loop                broken, 2.7.5.3.1
//   more than 2^32 bytes in all                              broken, 2.7.5.2
//   readable descriptor after a writable one                 broken, 2.7.4.2
//   buffer outside of memory                                 broken, 2.7.5
//   INDIRECT not negotiated, nested, or together with NEXT   broken, 2.7.5.3.1
//   indirect table of no, or not of whole, descriptors       broken, 2.7.5.3
//   indirect table that is not in one region of memory       broken, 2.7.5.3
//   with IN_ORDER, next that is not the descriptor behind
//     it, in the table or in an indirect one                 broken, 2.7.5.2,
//                                                              2.7.5.3.1
//
// Ordinary descriptors may be followed by an indirect one (2.7.5.3.2). A driver
// that offers a descriptor which the device still has harms itself alone: there
// are two chains with its bytes.

#ifndef VIRTQUEUE_SPLIT_DEVICE_H_
#define VIRTQUEUE_SPLIT_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/completion_order.h"
#include "virtqueue/device_state.h"
#include "virtqueue/device_terms.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/notification.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class SplitDevice : public DeviceTerms {
 public:
  // Of no ring, as after a reset: nothing is available, and nothing is written.
  explicit SplitDevice(const GuestMemory& memory);

  static absl::StatusOr<SplitDevice> Create(const GuestMemory& memory,
                                            const SplitRingAddrs& addrs,
                                            const Options& options);

  // That some are available, when last looked; looks again; and the next of
  // them. Else it may be that one was put back, or that chains have turns.
  bool SeesAvailable() const { return available_ != popped_; }
  bool LookForAvailable();
  PopResult PopSeen(Chain& chain);
  PopResult PopOther(Chain& chain);

  // Becomes what `state` says, which passed CheckDeviceState.
  absl::Status SetTo(const DeviceState& state);
  // But for the chains that the user has.
  DeviceState Save() const;

  // What the chains of this life have above their heads, and if in order.
  uint32_t tag() const { return tag_; }
  uint32_t ChainTag() const { return order_ ? tag_ | Chain::kInOrder : tag_; }
  void SetLife(uint32_t life) { tag_ = life * Chain::kLife; }

  // `chain` is of this life; in order it goes to the second.
  void Push(Chain& chain, uint32_t written);
  void PushInOrder(Chain& chain, uint32_t written);
  void UnPop(Chain& chain);
  bool Publish();
  bool EnableNotifications();
  void DisableNotifications();
  bool HasAvailable() const;
  uint32_t in_flight() const {
    return static_cast<uint32_t>(popped_ - pushed_ - put_back_.size() -
                                 (order_ ? order_->completed() : 0));
  }
  bool has_ring() const { return ring_.avail_idx != nullptr; }
  uint16_t size() const { return static_cast<uint16_t>(ring_.desc.size()); }
  const absl::Status& status() const { return status_; }
  const GuestMemory& memory() const { return memory_; }

 private:
  SplitDevice(const GuestMemory& memory, const SplitRing& ring,
              const Options& options);

  struct PutBack {
    uint16_t head = 0;
    uint16_t turn = 0;
  };

  // Chains that the driver has made available; none new if it lies.
  uint64_t ReadAvailable();
  PopResult PopNext(Chain& chain);
  PopResult PopPutBack(Chain& chain);
  PopResult PopInOrder(Chain& chain);
  // Writes used elements of what is completed and has its turn; whether any.
  bool UseBatches();

  // The chain that begins at `head`, whatever its shape.
  PopResult Walk(uint32_t head, Chain& chain);
  // The usual chain: one descriptor in the largest region. False if this is
  // none, and `chain` is as before.
  bool TakeOnly(const Descriptor& desc, Chain& chain);

  void Break(absl::string_view fault);

  SplitRing ring_;
  Notification notification_;
  GuestMemory memory_;
  absl::Status status_;
  std::vector<PutBack> put_back_;
  bool indirect_ = false;
  uint32_t tag_ = 0;
  // Chains since the beginning; modulo 65536 they are the indices of the ring.
  uint64_t available_ = 0;  // when last looked
  uint64_t popped_ = 0;
  uint64_t pushed_ = 0;
  uint64_t published_ = 0;
  std::optional<CompletionOrder> order_;  // with VIRTIO_F_IN_ORDER
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// The three that follow are on the way of every packet, and each is shorter
// than a call.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DeviceTerms::PopResult SplitDevice::PopSeen(
    Chain& chain) {
  const uint32_t head = ring_.avail_ring[popped_].Load();
  const bool usual =
      ring_.desc.Has(head) && TakeOnly(ring_.desc.At(head).Load(), chain);
  if (!usual) [[unlikely]]
    return PopNext(chain);
  chain.head_ = tag_ | head;
  ++popped_;
  return PopResult::kChain;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool SplitDevice::TakeOnly(
    const Descriptor& desc, Chain& chain) {
  const absl::Span<std::byte> bytes =
      memory_.QuickSlice(GuestAddr(desc.addr), desc.len);
  if (bytes.empty()) [[unlikely]]
    return false;
  switch (desc.flags & (kDescNext | kDescWrite | kDescIndirect)) {
    case 0:
      chain.readable_.SetOnly(bytes);
      chain.writable_.Clear();
      break;
    case kDescWrite:
      chain.readable_.Clear();
      chain.writable_.SetOnly(bytes);
      break;
    default:
      return false;
  }
  chain.descriptors_ = 1;
  return true;
}

inline void SplitDevice::Push(Chain& chain, uint32_t written) {
  VSOCK_CHECK(written <= chain.writable_bytes());
  SharedUsedElem& elem = ring_.used_ring[pushed_];
  elem.id.Store(chain.head());
  elem.len.Store(written);
  chain.head_ = Chain::kNoHead;
  ++pushed_;
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPLIT_DEVICE_H_
