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
#include "virtqueue/check.h"
#include "virtqueue/completion_order.h"
#include "virtqueue/device_state.h"
#include "virtqueue/device_terms.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_notification.h"
#include "virtqueue/packed_ring.h"

namespace virtqueue {

class PackedDevice : public DeviceTerms {
 public:
  static absl::StatusOr<PackedDevice> Create(const GuestMemory& memory,
                                             const PackedRingAddrs& addrs,
                                             const Options& options);

  // Becomes what `state` says, which passed CheckDeviceState. InvalidArgument:
  // a chain that was put back and is not in memory.
  absl::Status SetTo(const DeviceState& state);
  // But for the chains that the user has.
  DeviceState Save() const;

  // What the chains of this life have above their ids.
  uint32_t ChainTag() const { return order_ ? tag_ | Chain::kInOrder : tag_; }
  void SetLife(uint32_t life) { tag_ = life * Chain::kLife | Chain::kPackedId; }

  // `chain` is not pending.
  PopResult Pop(Chain& chain);
  // `chain` is of this life; in order it goes to the second.
  void Push(Chain& chain, uint32_t written);
  void PushInOrder(Chain& chain, uint32_t written);
  void UnPop(Chain& chain);
  bool Publish();
  bool EnableNotifications();
  void DisableNotifications() { notification_.Disable(); }
  bool HasAvailable() const;
  uint32_t in_flight() const { return in_flight_; }
  uint16_t size() const { return static_cast<uint16_t>(ring_.size); }
  const absl::Status& status() const { return status_; }

 private:
  PackedDevice(const GuestMemory& memory, const PackedRing& ring,
               const Options& options);

  PopResult PopAny(Chain& chain);
  PopResult PopPutBack(Chain& chain);
  // Writes the next used descriptor, or keeps it for Publish.
  void Use(uint32_t slots, PackedTail used);
  // Does so for what is completed and has its turn; whether any.
  bool UseBatches();
  void Break(absl::string_view fault);
  // After a change of what it depends on.
  void SetLimit();

  PackedRing ring_;
  PackedNotification notification_;
  GuestMemory memory_;
  absl::Status status_;
  std::vector<Chain> put_back_;
  bool indirect_;
  uint32_t tag_ = Chain::kPackedId;
  uint32_t in_flight_ = 0;
  PackedPosition next_;       // to be popped
  PackedPosition next_used_;  // to be pushed
  // The used descriptor that is written last, and where.
  PackedPosition first_used_;
  PackedTail held_;
  // Slots since the beginning.
  uint64_t popped_ = 0;
  uint64_t pushed_ = 0;
  uint64_t published_ = 0;
  // Where the driver has no more, or where Pop has to look closer.
  uint64_t limit_;
  std::optional<CompletionOrder> order_;  // with VIRTIO_F_IN_ORDER
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// The two that follow are on the way of every packet.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DeviceTerms::PopResult PackedDevice::Pop(
    Chain& chain) {
  if (popped_ == limit_) [[unlikely]]
    return PopAny(chain);
  const PackedPosition at = next_;
  const SharedPackedDescriptor& desc = ring_[at];
  const PackedTail tail = desc.LoadTail(std::memory_order_acquire);
  constexpr uint16_t kLooked =
      kDescAvail | kDescUsed | kDescNext | kDescIndirect;
  if ((tail.flags & kLooked) != at.available()) [[unlikely]]
    return PopAny(chain);
  const absl::Span<std::byte> bytes =
      memory_.QuickSlice(GuestAddr(desc.LoadAddr()), tail.len);
  if (bytes.empty()) [[unlikely]]
    return PopAny(chain);
  next_.Advance(1, ring_.size);
  ++popped_;
  ++in_flight_;
  if ((tail.flags & kDescWrite) == 0) {
    chain.readable_.SetOnly(bytes);
    chain.writable_.Clear();
  } else {
    chain.readable_.Clear();
    chain.writable_.SetOnly(bytes);
  }
  chain.descriptors_ = 1;
  chain.slots_ = 1;
  chain.head_ = tag_ | tail.id;
  return PopResult::kChain;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PackedDevice::Push(Chain& chain,
                                                            uint32_t written) {
  VSOCK_CHECK(written <= chain.writable_bytes());
  Use(chain.slots_, {.len = written, .id = static_cast<uint16_t>(chain.head_)});
  --in_flight_;
  chain.head_ = Chain::kNoHead;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PackedDevice::Use(uint32_t slots,
                                                           PackedTail used) {
  used.flags = static_cast<uint16_t>(next_used_.used() |
                                     (used.len != 0 ? kDescWrite : 0));
  const uint64_t pushed = pushed_;
  SharedPackedDescriptor& desc = ring_[next_used_];
  next_used_.Advance(slots, ring_.size);
  pushed_ = pushed + slots;
  if (pushed == published_) [[unlikely]] {
    held_ = used;
  } else {
    desc.StoreTail(used, std::memory_order_release);
  }
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_DEVICE_H_
