// packed_driver.h: the driver's half of a packed ring; see driver_queue.h.
//
// Spec: virtio 1.3, 2.8.21 "Supplying Buffers to The Device" and 2.8.22
// "Receiving Used Buffers From The Device".
// Trust: none in the device. How each kind of used descriptor that breaks a
// rule ends:
//
//   id of N or more                                     quarantined, 2.8.22
//   id of no chain the device has: used before, never
//     added, not yet published                          quarantined, 2.8.22
//   len of more than the chain's writable bytes         quarantined, 2.8.4
//
// Without WRITE a used length means nothing and counts as 0 (2.8.4); NEXT is
// ignored (2.8.6). With IN_ORDER a used descriptor is of all chains from the
// next one up to that of its id: each but the last is taken for completely used
// (2.8.8). All that is needed later is kept outside of the shared
// memory.
//
// The first descriptor of a batch becomes available last, at Publish, so the
// device does not see the others before.

#ifndef VIRTQUEUE_PACKED_DRIVER_H_
#define VIRTQUEUE_PACKED_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "virtqueue/driver_notification.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/driver_terms.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_notification.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/used_batch.h"

namespace virtqueue {

class PackedDriver : public DriverTerms {
 public:
  static absl::StatusOr<PackedDriver> Create(const GuestMemory& memory,
                                             const PackedRingAddrs& addrs,
                                             const Options& options);

  // Goes on from `state` on a ring that lies in memory as it did.
  static absl::StatusOr<PackedDriver> Restore(const GuestMemory& memory,
                                              const PackedRingAddrs& addrs,
                                              const Options& options,
                                              const DriverState& state);
  DriverState Save() const;

  AddResult Add(absl::Span<const Buffer> readable,
                absl::Span<const Buffer> writable, uint64_t token);
  bool Publish();
  std::optional<Used> Collect();
  bool EnableNotifications();
  bool EnableNotificationsDelayed();
  void DisableNotifications() { notification_.Disable(); }
  NextAvailable next_available() const {
    return NextAvailable::Of(first_added_.off_wrap());
  }
  uint16_t free_descriptors() const { return static_cast<uint16_t>(free_); }
  uint32_t in_flight() const {
    return static_cast<uint32_t>(added_ - collected_);
  }
  uint16_t size() const { return static_cast<uint16_t>(ring_.size); }
  const absl::Status& status() const { return status_; }

 private:
  PackedDriver(const PackedRing& ring, const Options& options,
               absl::Span<SharedPackedDescriptor> tables);

  static absl::StatusOr<PackedDriver> Find(const GuestMemory& memory,
                                           const PackedRingAddrs& addrs,
                                           const Options& options);
  // Becomes what `state` says, which passed CheckDriverState.
  void SetTo(const DriverState& state);
  void SetOrder(const DriverState& state);
  std::vector<uint16_t> IdsInFlight() const;  // as they were added

  static constexpr uint64_t kNoChain = ~uint64_t{0};

  struct alignas(32) Id {  // what is remembered of a chain, by its buffer id
    uint64_t token = 0;
    uint64_t chain = kNoChain;  // its number, from 0 as they are added
    uint32_t writable_bytes = 0;
    uint16_t slots = 0;
    uint16_t next = 0;  // next free one
  };

  struct InOrder {
    UsedBatch batch;
    uint16_t oldest = 0;  // id of the chain to be collected next
    PackedPosition at;    // and where it begins
  };

  AddResult AddAny(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable, uint64_t token);
  // Write a chain into the ring, or into the table of free_id_ and its one
  // descriptor into the ring.
  void FillRing(absl::Span<const Buffer> readable,
                absl::Span<const Buffer> writable);
  void FillTable(absl::Span<const Buffer> readable,
                 absl::Span<const Buffer> writable);
  // Makes the descriptor at `at` available, now or at Publish.
  void Expose(const PackedPosition& at, const PackedTail& tail) {
    if (added_ == published_) {
      held_ = tail;
    } else {
      ring_[at].StoreTail(tail, std::memory_order_release);
    }
  }
  bool HasUsed() const;
  // Where the next used descriptor is looked for.
  const PackedPosition& AtUsed() const {
    return in_order_ ? in_order_->at : next_used_;
  }
  std::optional<Used> CollectInOrder();
  bool LookForBatch();
  std::optional<Used> RefuseUsed(const PackedTail& tail);
  void Quarantine(absl::string_view fault);

  PackedRing ring_;
  PackedNotification notification_;
  absl::Span<SharedPackedDescriptor> tables_;
  GuestAddr tables_at_;
  uint16_t table_entries_;
  absl::Status status_;
  std::vector<Id> ids_;
  std::optional<InOrder> in_order_;  // with VIRTIO_F_IN_ORDER
  uint16_t free_id_ = 0;
  uint32_t free_;             // slots; 0 also when quarantined
  PackedPosition next_;       // to be added
  PackedPosition next_used_;  // to be collected; nowhere if in_order_ knows it
  // The descriptor that becomes available last, and where.
  PackedPosition first_added_;
  PackedTail held_;
  // Chains since the beginning.
  uint64_t added_ = 0;
  uint64_t published_ = 0;
  uint64_t collected_ = 0;
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// The two that follow are on the way of every packet, and shorter than a call
// if the chain is of one descriptor.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::AddResult PackedDriver::Add(
    absl::Span<const Buffer> readable, absl::Span<const Buffer> writable,
    uint64_t token) {
  if (readable.size() + writable.size() != 1 || free_ == 0) [[unlikely]] {
    return AddAny(readable, writable, token);
  }
  const bool writes = readable.empty();
  const Buffer buffer = (writes ? writable : readable).front();
  const uint16_t number = free_id_;
  const uint64_t chain = added_;
  SharedPackedDescriptor& desc = ring_[next_];
  const PackedTail tail = {.len = buffer.len,
                           .id = number,
                           .flags = static_cast<uint16_t>(
                               next_.available() | (writes ? kDescWrite : 0))};
  next_.Advance(1, ring_.size);
  --free_;
  added_ = chain + 1;
  Id& id = ids_[number];
  free_id_ = id.next;
  id = {.token = token,
        .chain = chain,
        .writable_bytes = writes ? buffer.len : 0,
        .slots = 1};
  desc.StoreAddr(buffer.addr.value());
  if (chain == published_) [[unlikely]] {
    held_ = tail;
  } else {
    desc.StoreTail(tail, std::memory_order_release);
  }
  return AddResult::kAdded;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline std::optional<DriverTerms::Used>
PackedDriver::Collect() {
  const PackedTail tail = ring_[next_used_].LoadTail(std::memory_order_acquire);
  if (AvailAndUsed(tail.flags) != next_used_.used()) [[unlikely]]
    return in_order_ ? CollectInOrder() : std::nullopt;
  if (tail.id >= ring_.size) [[unlikely]]
    return RefuseUsed(tail);
  Id& id = ids_[tail.id];
  const uint32_t len = (tail.flags & kDescWrite) != 0 ? tail.len : 0;
  if (id.chain >= published_ || len > id.writable_bytes) [[unlikely]]
    return RefuseUsed(tail);
  const uint16_t slots = id.slots;
  id.chain = kNoChain;
  id.next = free_id_;
  free_id_ = tail.id;
  free_ += slots;
  next_used_.Advance(slots, ring_.size);
  ++collected_;
  return Used{.token = id.token, .len = len};
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_DRIVER_H_
