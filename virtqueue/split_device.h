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
#include "virtqueue/completion_order.h"
#include "virtqueue/device_state.h"
#include "virtqueue/device_terms.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/notification.h"
#include "virtqueue/ring_cursor.h"
#include "virtqueue/shared_le.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class SplitDevice : public DeviceTerms {
 public:
  // Of no ring, as after a reset: nothing is available, and nothing is written.
  explicit SplitDevice(const GuestMemory& memory);

  static absl::StatusOr<SplitDevice> Create(const GuestMemory& memory,
                                            const SplitRingAddrs& addrs,
                                            const Options& options);

  // Becomes what `state` says, which passed CheckDeviceState.
  absl::Status SetTo(const DeviceState& state);
  // But for the chains that the user has.
  DeviceState Save() const;

  // What is known of each chain that is popped from now on; whether it has to
  // be told from those of earlier lives.
  void SetLife(uint32_t life, bool told_apart);

  // Whether the next entry will do without a closer look, and then the way past
  // it, which is short for the usual chain: of one descriptor, in the largest
  // region.
  bool quick_to_pop() const { return next_.at() != stop_; }
  PopResult QuickPop(Chain& chain);
  bool quick_to_push(const Chain& chain) const {
    return chain.pending_of(/*packed=*/false) && next_used_.at() != push_stop_;
  }
  void QuickPush(Chain& chain, uint32_t written);
  // In any case. `chain` is not pending; it is of this life.
  PopResult PopAny(Chain& chain);
  void PushAny(Chain& chain, uint32_t written);
  void UnPop(Chain& chain);
  bool Publish();
  bool EnableNotifications();
  void DisableNotifications();
  bool HasAvailable() const;
  uint32_t in_flight() const {
    return static_cast<uint32_t>(next_.count() - next_used_.count() -
                                 put_back_.size() -
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

  // `usual`: the head, as a usual chain has it.
  PopResult TakeOnly(uint32_t usual, const Descriptor& desc, Chain& chain);
  // What begins at `head`, which next_ says: where `desc` was read, or with no
  // look at its descriptor yet.
  PopResult PopSeen(uint32_t head, Descriptor desc, Chain& chain);
  PopResult PopHead(uint32_t head, Chain& chain);
  PopResult PopPutBack(Chain& chain);
  // False if there is none new after `popped`.
  bool LookForAvailable(uint64_t popped);
  // Writes used elements of what is completed and has its turn; whether any.
  bool UseBatches();
  // The chain that begins at `head`, where `desc` was read.
  PopResult Walk(uint32_t head, const Descriptor& desc, Chain& chain);
  void Break(absl::string_view fault);
  // The next used element, which is of so many chains.
  void Use(uint32_t head, uint32_t written, uint32_t chains);
  // Whether no chain is the usual one.
  bool LooksCloser() const {
    return !status_.ok() || !put_back_.empty() || order_ || told_apart_;
  }
  // After a change of what they depend on.
  void SetStop();
  void SetPushStop();

  // QuickPop.
  RingCursor<SharedLe16> next_;
  SharedLe16* stop_ = nullptr;  // where it has to look closer
  GuestMemory memory_;
  // QuickPush.
  RingCursor<SharedUsedElem> next_used_;
  SharedUsedElem* push_stop_ = nullptr;  // where it has to look closer

  SplitRing ring_;
  Notification notification_;
  bool indirect_ = false;
  bool told_apart_ = false;
  uint32_t life_ = 0;
  // Chains since the beginning; modulo 65536 they are the indices of the ring.
  uint64_t available_ = 0;  // when last looked
  uint64_t published_ = 0;
  absl::Status status_;
  std::vector<PutBack> put_back_;
  std::optional<CompletionOrder> order_;  // with VIRTIO_F_IN_ORDER
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// What follows is on the way of every packet, and shorter than a call. Each
// step to what is next comes last, as it is one instruction then.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DeviceTerms::PopResult
SplitDevice::QuickPop(Chain& chain) {
  const uint32_t head = next_.at()->Load();
  if (!ring_.desc.Has(head)) [[unlikely]]
    return PopHead(head, chain);
  const Descriptor desc = ring_.desc.At(head).Load();
  const uint16_t flags = desc.flags & (kDescNext | kDescWrite | kDescIndirect);
  if (flags == 0) return TakeOnly(head, desc, chain);
  if (flags == kDescWrite) return TakeOnly(head | Chain::kWrites, desc, chain);
  return PopSeen(head, desc, chain);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DeviceTerms::PopResult
SplitDevice::TakeOnly(uint32_t usual, const Descriptor& desc, Chain& chain) {
  const auto bytes = memory_.QuickSlice(GuestAddr(desc.addr), desc.len);
  if (!bytes) [[unlikely]]
    return PopSeen(usual & Chain::kMaxHead, desc, chain);
  chain.SetUsual(*bytes, usual);
  next_.StepShort();
  return PopResult::kChain;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void SplitDevice::QuickPush(
    Chain& chain, uint32_t written) {
  SharedUsedElem& elem = *next_used_.at();
  elem.id.Store(chain.head());
  chain.Complete();
  elem.len.Store(written);
  next_used_.StepShort();
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPLIT_DEVICE_H_
