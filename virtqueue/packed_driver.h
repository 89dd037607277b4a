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
#include <memory>
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
#include "virtqueue/packed_cursor.h"
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

  // Of no ring, as the half that a queue does not use: it is quick at nothing.
  PackedDriver() = default;

  // Whether the next slot will do without a closer look, and then the way past
  // it, which is short for the usual chain, of one descriptor.
  bool quick_to_add() const { return next_.at() != stop_; }
  AddResult QuickAdd(absl::Span<const Buffer> readable,
                     absl::Span<const Buffer> writable, uint64_t token);
  bool quick_to_collect() const { return next_used_.at() != used_stop_; }
  Collected QuickCollect();
  // In any case.
  AddResult AddAny(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable, uint64_t token);
  Collected CollectAny();
  bool Publish();
  bool EnableNotifications();
  bool EnableNotificationsDelayed();
  void DisableNotifications() { notification_.Disable(); }
  NextAvailable next_available() const {
    return NextAvailable::Of(first_added_.off_wrap());
  }
  uint16_t free_descriptors() const {
    return static_cast<uint16_t>(ring_.size - next_used_.DistanceTo(next_));
  }
  uint32_t in_flight() const { return next_used_.DistanceTo(next_) - extra_; }
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
  void SetFree(const DriverState& state);
  std::vector<uint16_t> IdsInFlight() const;  // as they were added
  std::vector<uint16_t> FreeIds() const;      // as they will be taken
  uint16_t NextInOrder() const;

  // Chains are numbered from 0 as they are added. The number of a chain of
  // several slots carries kLong too, and an id of no chain has kNoChain: so one
  // comparison finds the chains that the device has and that need no second
  // look.
  static constexpr uint64_t kLong = uint64_t{1} << 63;
  static constexpr uint64_t kNoChain = ~uint64_t{0};

  struct alignas(32) Id {  // what is remembered of a chain, by its buffer id
    uint64_t token = 0;
    uint64_t chain = kNoChain;  // its number
    uint64_t tail = 0;          // with nothing but this id
    uint32_t writable_bytes = 0;
    uint32_t slots = 1;  // more only with kLong
  };

  struct InOrder {
    UsedBatch batch;
    uint16_t oldest = 0;  // id of the chain to be collected next
  };

  uint16_t NumberOf(const Id& id) const {
    return static_cast<uint16_t>(&id - &ids_[0]);
  }
  // The id that is taken next.
  Id& free_id() const { return *free_end_[-1]; }

  // For a chain of one slot.
  bool HasRoom() const { return status_.ok() && free_descriptors() != 0; }
  AddResult AddList(absl::Span<const Buffer> readable,
                    absl::Span<const Buffer> writable, uint64_t token);
  // Makes the free id that of a chain of one slot; gives the tail of its
  // descriptor. What it does not do is to take it off the free ones.
  uint64_t SetId(const Buffer& buffer, bool writes, uint64_t token);
  // Write a chain into the ring, or into the table of the free id and its one
  // descriptor into the ring.
  void FillRing(absl::Span<const Buffer> readable,
                absl::Span<const Buffer> writable);
  void FillTable(absl::Span<const Buffer> readable,
                 absl::Span<const Buffer> writable);
  // Makes a descriptor available, now or at Publish.
  void Expose(SharedPackedDescriptor& desc, uint64_t tail) {
    if (added_ == published_) {
      held_ = tail;
    } else {
      desc.StoreWord(tail, std::memory_order_release);
    }
  }
  bool HasUsed() const;
  // Collects the chain `id`, if `tail` says so, that `len` bytes were written.
  Collected TakeUsed(Id& id, uint32_t len, uint64_t tail);
  // What `word` says, which was read at next_used_.
  Collected CollectSeen(uint64_t word);
  void Release(Id& id);
  Collected CollectInOrder();
  bool LookForBatch();
  // Whether a used descriptor is lawful; else the queue is quarantined.
  bool Accept(const PackedTail& tail);
  void Quarantine(absl::string_view fault);
  // After a change of what they depend on; so many slots are free.
  void SetStop(uint32_t free);
  void SetUsedStop();

  // QuickAdd.
  PackedCursor next_;                       // available
  SharedPackedDescriptor* stop_ = nullptr;  // where it has to look closer
  // The same, but for the first chain of a batch, which is held.
  SharedPackedDescriptor* room_end_ = nullptr;
  // Behind the last of the free ids, which are a stack. With in_order_ ids go
  // round as the slots do: none is put back, and after the last it begins anew.
  // A stack and no list, so that who takes one need not wait for what is
  // remembered of it to say which is next.
  Id** free_end_ = nullptr;
  uint64_t added_ = 0;
  // QuickCollect.
  PackedCursor next_used_;
  SharedPackedDescriptor* used_stop_ = nullptr;  // where it has to look closer
  uint64_t published_ = 0;
  uint64_t ids_end_ = 0;  // there are ids below
  std::unique_ptr<Id[]> ids_;
  std::unique_ptr<Id*[]> free_ids_;

  // The descriptor that becomes available last, and its tail.
  PackedCursor first_added_;
  uint64_t held_ = 0;
  uint32_t extra_ = 0;  // slots in use, beyond one for each chain
  uint16_t table_entries_ = 0;
  PackedRing ring_;
  PackedNotification notification_;
  absl::Span<SharedPackedDescriptor> tables_;
  GuestAddr tables_at_;
  std::optional<InOrder> in_order_;  // with VIRTIO_F_IN_ORDER
  absl::Status status_;
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// What follows is on the way of every packet, and shorter than a call. Each
// step to what is next comes last, as it is one instruction then.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::AddResult
PackedDriver::QuickAdd(absl::Span<const Buffer> readable,
                       absl::Span<const Buffer> writable, uint64_t token) {
  if (readable.size() + writable.size() != 1) {
    return AddAny(readable, writable, token);
  }
  const bool writes = readable.empty();
  const Buffer& buffer = *(writes ? writable : readable).data();
  SharedPackedDescriptor& desc = *next_.at();
  desc.StoreAddr(buffer.addr.value());
  desc.StoreWord(SetId(buffer, writes, token), std::memory_order_release);
  --free_end_;
  ++added_;
  next_.StepShort();
  return AddResult::kAdded;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline uint64_t PackedDriver::SetId(
    const Buffer& buffer, bool writes, uint64_t token) {
  Id& id = free_id();
  id.token = token;
  id.chain = added_;
  id.writable_bytes = writes ? buffer.len : 0;
  return id.tail | next_.marks() | buffer.len | (writes ? kWriteMark : 0);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::Collected
PackedDriver::QuickCollect() {
  const uint64_t tail = next_used_.at()->LoadWord(std::memory_order_acquire);
  // If it is used, then this is the id, alone or with WRITE.
  const uint64_t id = (tail ^ next_used_.marks()) >> 32;
  if (id < ids_end_) return TakeUsed(ids_[id], /*len=*/0, tail);
  const uint64_t unmarked = id ^ (kWriteMark >> 32);
  // ids_end_ by its other name, so that neither comparison needs a register.
  if (unmarked >= ring_.size) [[unlikely]]
    return CollectSeen(tail);
  return TakeUsed(ids_[unmarked], static_cast<uint32_t>(tail), tail);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::Collected
PackedDriver::TakeUsed(Id& id, uint32_t len, uint64_t tail) {
  if (id.chain >= published_ || len > id.writable_bytes) [[unlikely]] {
    return CollectSeen(tail);
  }
  id.chain = kNoChain;
  *free_end_ = &id;
  ++free_end_;
  next_used_.StepShort();
  return {.token = id.token, .len = len, .any = true};
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_PACKED_DRIVER_H_
