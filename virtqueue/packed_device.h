// packed_device.h: the device's half of a packed ring; see device_queue.h.
//
// Spec: virtio 1.3, 2.8.
// Trust: all it reads was written by the driver and may be hostile. How each
// kind of malformed ring ends:
//
//   descriptor made available while all are with the device  broken, 2.8.16
//   list of more descriptors than the driver has room for    broken, 2.8.17
//   list that goes on with one that is not available         broken, 2.8.17
//   more than N buffers in an indirect table                 broken, 2.8.17
//   more than 2^32 bytes in all                              broken, 2.8.4
//   readable descriptor after a writable one                 broken, 2.8.17
//   buffer outside of memory                                 broken, 2.8.13
//   INDIRECT not negotiated, or in a list of NEXT            broken, 2.8.19
//   indirect table of no, or not of whole, descriptors       broken, 2.8.7
//   indirect table that is not in one region of memory       broken, 2.8.7
//
// A buffer id is given back as it is and means nothing here, so none is wrong.
// In a table WRITE alone is a flag (2.8.7): NEXT and INDIRECT are ignored.
//
// The first descriptor of a batch is used last, at Publish, so the driver does
// not see the others before. A chain that was put back is kept here and not
// read again, as the used descriptor of another may be where it was.

#ifndef VIRTQUEUE_PACKED_DEVICE_H_
#define VIRTQUEUE_PACKED_DEVICE_H_

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
#include "virtqueue/packed_cursor.h"
#include "virtqueue/packed_notification.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {

class PackedDevice : public DeviceTerms {
 public:
  static absl::StatusOr<PackedDevice> Create(const GuestMemory& memory,
                                             const PackedRingAddrs& addrs,
                                             const Options& options);

  // Of no ring, as the half that a queue does not use: it is quick at nothing.
  explicit PackedDevice(const GuestMemory& memory) : memory_(memory) {}

  // Becomes what `state` says, which passed CheckDeviceState. InvalidArgument:
  // a chain that was put back and is not in memory.
  absl::Status SetTo(const DeviceState& state);
  // But for the chains that the user has.
  DeviceState Save() const;

  // What is known of each chain that is popped from now on; whether it has to
  // be told from those of earlier lives.
  void SetLife(uint32_t life, bool told_apart);

  // Whether the next slot will do without a closer look, and then the way past
  // it, which is short for the usual chain: of one descriptor, in the largest
  // region.
  bool quick_to_pop() const { return next_.at() != stop_; }
  PopResult QuickPop(Chain& chain) {
    return PopNext</*kShortStep=*/true>(chain);
  }
  bool quick_to_push(const Chain& chain) const {
    return chain.usual_of_packed() && next_used_.at() != push_stop_;
  }
  void QuickPush(Chain& chain, uint32_t written);
  // In any case. `chain` is not pending; it is of this life.
  PopResult PopAny(Chain& chain);
  void PushAny(Chain& chain, uint32_t written);
  void UnPop(Chain& chain);
  bool Publish();
  bool EnableNotifications();
  void DisableNotifications() { notification_.Disable(); }
  bool HasAvailable() const;
  uint32_t in_flight() const {
    return next_used_.DistanceTo(next_) - extra_ -
           static_cast<uint32_t>(put_back_.size()) -
           (order_ ? order_->completed() : 0);
  }
  uint16_t size() const { return static_cast<uint16_t>(ring_.size); }
  const absl::Status& status() const { return status_; }

 private:
  PackedDevice(const GuestMemory& memory, const PackedRing& ring,
               const Options& options);

  // The next chain, where the usual one may be; kShortStep: and not in the last
  // slot.
  template <bool kShortStep>
  PopResult PopNext(Chain& chain);
  // What begins at next_, where `tail` was read; and `addr`, too.
  PopResult PopSeen(Chain& chain, uint64_t tail);
  PopResult PopList(Chain& chain, uint64_t addr, uint64_t tail);
  PopResult PopPutBack(Chain& chain);
  // How many slots the driver may have made available at next_.
  uint32_t room() const { return ring_.size - first_used_.DistanceTo(next_); }
  // Writes the next used descriptor, of a chain of so many slots, or keeps it
  // for Publish.
  void Use(uint32_t slots, uint32_t written, uint32_t id);
  // Does so for what is completed and has its turn; whether any.
  bool UseBatches();
  void Break(absl::string_view fault);
  // After a change of what they depend on.
  void SetStop();
  void SetPushStop();

  // QuickPop.
  PackedCursor next_;                       // available
  SharedPackedDescriptor* stop_ = nullptr;  // where it has to look closer
  GuestMemory memory_;
  // QuickPush.
  PackedCursor next_used_;
  SharedPackedDescriptor* push_stop_ = nullptr;  // where it has to look closer
  // The same, but for the first chain of a batch, which is held.
  SharedPackedDescriptor* push_end_ = nullptr;

  // The used descriptor that is written last, and its tail.
  PackedCursor first_used_;
  uint64_t held_ = 0;
  uint32_t extra_ = 0;  // slots between the two, beyond one for each chain
  uint32_t life_ = 0;
  bool told_apart_ = false;
  bool indirect_ = false;
  PackedRing ring_;
  PackedNotification notification_;
  absl::Status status_;
  std::vector<Chain> put_back_;
  std::optional<CompletionOrder> order_;  // with VIRTIO_F_IN_ORDER
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// What follows is on the way of every packet, and shorter than a call. Each
// step to what is next comes last, as it is one instruction then.

template <bool kShortStep>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline DeviceTerms::PopResult
PackedDevice::PopNext(Chain& chain) {
  const SharedPackedDescriptor& desc = *next_.at();
  const uint64_t tail = desc.LoadWord(std::memory_order_acquire);
  // If it is available, then this is the id, alone or with flags.
  const auto id = static_cast<uint32_t>((tail ^ next_.marks()) >> 32);
  if (id > Chain::kMaxHead && id - Chain::kWrites > Chain::kMaxHead)
      [[unlikely]] {
    return PopSeen(chain, tail);
  }
  const uint64_t addr = desc.LoadAddr();
  const auto bytes =
      memory_.QuickSlice(GuestAddr(addr), static_cast<uint32_t>(tail));
  if (!bytes) [[unlikely]]
    return PopList(chain, addr, tail);
  chain.SetUsual(*bytes, id | Chain::kPacked);
  if constexpr (kShortStep) {
    next_.StepShort();
  } else {
    next_.Step();
    SetStop();
  }
  return PopResult::kChain;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PackedDevice::QuickPush(
    Chain& chain, uint32_t written) {
  const uint64_t id = chain.head();
  chain.Complete();
  next_used_.at()->StoreWord(
      written | id << 32 | next_used_.marks() | (written != 0 ? kWriteMark : 0),
      std::memory_order_release);
  next_used_.StepShort();
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_DEVICE_H_
