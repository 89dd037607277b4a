// split_driver.h: the driver's half of a split ring; see driver_queue.h.
//
// Spec: virtio 1.3, 2.7.13 "Supplying Buffers to The Device" and 2.7.14
// "Receiving Used Buffers From The Device".
// Trust: none in the device. How each kind of used ring that breaks a rule
// ends:
//
//   used idx ahead by more than what was published      quarantined, 2.7.8
//   id that is no descriptor of the table               quarantined, 2.7.8
//   id of no chain the device has: used before, never
//     added, not yet published, not a head              quarantined, 2.7.8
//   len of more than the chain's writable bytes         quarantined, 2.7.8.2
//   with IN_ORDER, batch that ends beyond the used idx  quarantined, 2.7.9
//
// With IN_ORDER an element is of all chains from the next one up to that of its
// id: each but the last is taken for completely used. Descriptors are then
// freed in the order of the table, so they are also taken in that order
// (2.7.5). All that is needed later is kept outside of the shared memory.

#ifndef VIRTQUEUE_SPLIT_DRIVER_H_
#define VIRTQUEUE_SPLIT_DRIVER_H_

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
#include "virtqueue/notification.h"
#include "virtqueue/ring_cursor.h"
#include "virtqueue/shared_le.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/used_batch.h"

namespace virtqueue {

class SplitDriver : public DriverTerms {
 public:
  // Of no ring, as the half that a queue does not use: it is quick at nothing.
  SplitDriver() = default;

  static absl::StatusOr<SplitDriver> Create(const GuestMemory& memory,
                                            const SplitRingAddrs& addrs,
                                            const Options& options);

  // Goes on from `state` on a ring that lies in memory as it did.
  static absl::StatusOr<SplitDriver> Restore(const GuestMemory& memory,
                                             const SplitRingAddrs& addrs,
                                             const Options& options,
                                             const DriverState& state);
  DriverState Save() const;

  // Whether the next entry will do without a closer look, and then the way past
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
  void DisableNotifications();
  NextAvailable next_available() const {
    return NextAvailable::Of(static_cast<uint16_t>(published_));
  }
  uint16_t free_descriptors() const {
    return static_cast<uint16_t>(size() - in_flight() - extra_);
  }
  uint32_t in_flight() const {
    return static_cast<uint32_t>(added_ - next_used_.count());
  }
  uint16_t size() const { return static_cast<uint16_t>(ring_.desc.size()); }
  const absl::Status& status() const { return status_; }

 private:
  // Chains are numbered from 0 as they are added. The number of a chain of
  // several descriptors of the ring carries kLong too, and a slot of no chain
  // has kNoChain: so one comparison finds the chains that the device has and
  // that need no second look.
  static constexpr uint64_t kLong = uint64_t{1} << 63;
  static constexpr uint64_t kNoChain = ~uint64_t{0};

  struct alignas(kCacheLine) Slot {  // what is remembered of a descriptor
    uint64_t token = 0;
    uint64_t chain = kNoChain;  // of a head: the number of its chain
    SharedDescriptor* desc = nullptr;
    Slot* next = nullptr;  // next free one, or next of the chain
    // Of a head.
    uint32_t writable_bytes = 0;
    uint16_t number = 0;
    uint16_t descriptors = 1;  // more only with kLong
    Slot* last = this;         // another only with kLong
  };

  struct InOrder {
    UsedBatch batch;
    uint16_t oldest = 0;        // head of the chain to be collected next
    Slot* last_free = nullptr;  // if any is free
  };

  SplitDriver(const SplitRing& ring, const Options& options,
              absl::Span<SharedDescriptor> tables);

  static absl::StatusOr<SplitDriver> Find(const GuestMemory& memory,
                                          const SplitRingAddrs& addrs,
                                          const Options& options);
  // Becomes what `state` says, which passed CheckDriverState.
  void SetTo(const DriverState& state);
  void SetChain(const DriverState::InFlight& chain, uint64_t number);
  void SetOrder(const DriverState& state);
  std::vector<uint16_t> HeadsInFlight() const;  // as they were added
  DriverState::InFlight SaveChain(const Slot& head) const;

  // Takes the free slot for a chain of one descriptor, and writes that.
  Slot& TakeSlot(const Buffer& buffer, bool writes, uint64_t token);
  struct Filled {
    Slot* last = nullptr;  // the slot after which free ones go on
    uint64_t bytes = 0;
    uint64_t writable_bytes = 0;
  };
  // Write a chain into the slots from free_ on, or into the table of that
  // one slot. They take nothing yet.
  Filled FillRing(absl::Span<const Buffer> readable,
                  absl::Span<const Buffer> writable);
  Filled FillTable(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable);

  // Chains used and not collected, by the used idx; 0 if that is not lawful.
  uint16_t ReadUsed(uint64_t collected);
  // Whether an element is lawful; else the queue is quarantined.
  bool Accept(uint32_t head, uint32_t len);
  // What the next used element says, which was read.
  Collected CollectSeen(uint32_t head, uint32_t len);
  Collected CollectInOrder();
  bool LookForBatch();
  // Ends the chain that begins at `head`. What it does not do is to make its
  // slots free.
  void End(Slot& head);
  void Quarantine(absl::string_view fault);
  // After a change of what it depends on.
  void SetUsedStop();

  // QuickAdd.
  RingCursor<SharedLe16> next_;
  SharedLe16* stop_ = nullptr;  // where it has to look closer
  Slot* free_ = nullptr;        // none is free, or in quarantine
  uint64_t added_ = 0;          // as next_.count()
  // QuickCollect.
  RingCursor<SharedUsedElem> next_used_;
  SharedUsedElem* used_stop_ = nullptr;  // where it has to look closer
  uint64_t published_ = 0;
  std::unique_ptr<Slot[]> slots_;
  SplitRing ring_;

  Notification notification_;
  uint64_t used_ = 0;   // when last looked
  uint32_t extra_ = 0;  // descriptors in use, beyond one for each chain
  uint16_t table_entries_ = 0;
  absl::Span<SharedDescriptor> tables_;
  GuestAddr tables_at_;
  std::optional<InOrder> in_order_;  // with VIRTIO_F_IN_ORDER
  absl::Status status_;
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// What follows is on the way of every packet, and shorter than a call. Each
// step to what is next comes last, as it is one instruction then.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::AddResult
SplitDriver::QuickAdd(absl::Span<const Buffer> readable,
                      absl::Span<const Buffer> writable, uint64_t token) {
  if (readable.size() + writable.size() != 1) {
    return AddAny(readable, writable, token);
  }
  const bool writes = readable.empty();
  const Buffer& buffer = *(writes ? writable : readable).data();
  next_.at()->Store(TakeSlot(buffer, writes, token).number);
  ++added_;
  next_.StepShort();
  return AddResult::kAdded;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline SplitDriver::Slot& SplitDriver::TakeSlot(
    const Buffer& buffer, bool writes, uint64_t token) {
  Slot& slot = *free_;
  free_ = slot.next;
  slot.token = token;
  slot.chain = added_;
  slot.writable_bytes = writes ? buffer.len : 0;
  slot.desc->Store({.addr = buffer.addr.value(),
                    .len = buffer.len,
                    .flags = writes ? kDescWrite : uint16_t{0}});
  return slot;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline DriverTerms::Collected
SplitDriver::QuickCollect() {
  const SharedUsedElem& elem = *next_used_.at();
  const uint32_t head = elem.id.Load();
  const uint32_t len = elem.len.Load();
  if (!ring_.desc.Has(head)) [[unlikely]]
    return CollectSeen(head, len);
  Slot& slot = slots_[head];
  if (slot.chain >= published_ || len > slot.writable_bytes) [[unlikely]] {
    return CollectSeen(head, len);
  }
  slot.chain = kNoChain;
  slot.next = free_;
  free_ = &slot;
  next_used_.StepShort();
  return {.token = slot.token, .len = len, .any = true};
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPLIT_DRIVER_H_
