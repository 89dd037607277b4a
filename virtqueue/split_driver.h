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
#include "virtqueue/split_ring.h"
#include "virtqueue/used_batch.h"

namespace virtqueue {

class SplitDriver : public DriverTerms {
 public:
  // Of no ring: it has no room and sees nothing used, and that is all that it
  // may be asked.
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

  // The usual chain, of one descriptor, and that it can be added.
  bool CanAddOnly(absl::Span<const Buffer> readable,
                  absl::Span<const Buffer> writable) const {
    return readable.size() + writable.size() == 1 && free_head_ != kNoSlot;
  }
  void AddOnly(absl::Span<const Buffer> readable,
               absl::Span<const Buffer> writable, uint64_t token);
  // Any chain.
  AddResult AddAny(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable, uint64_t token);
  bool Publish();

  // That some are used, when last looked; looks again; and the next of them.
  bool SeesUsed() const { return used_ != collected_; }
  bool LookForUsed();
  std::optional<Used> CollectSeen();
  // The next of them, if nothing is ever seen because of VIRTIO_F_IN_ORDER.
  std::optional<Used> CollectUnseen() {
    return in_order_ ? CollectInOrder() : std::nullopt;
  }

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
    return static_cast<uint32_t>(added_ - collected_);
  }
  uint16_t size() const { return static_cast<uint16_t>(ring_.desc.size()); }
  const absl::Status& status() const { return status_; }

 private:
  // Chains are numbered from 0 as they are added. The number of a chain of
  // several descriptors of the ring carries kLong too, and a slot of no chain
  // has kNoChain: so one comparison finds the chains that need no second look.
  static constexpr uint64_t kLong = uint64_t{1} << 63;
  static constexpr uint64_t kNoChain = ~uint64_t{0};
  static constexpr uint16_t kNoSlot = 0xffff;  // ends the list of free ones

  struct Slot {  // what is remembered of a descriptor
    uint64_t token = 0;
    SharedDescriptor* desc = nullptr;
    uint64_t chain = kNoChain;    // of a head: the number of its chain
    uint32_t writable_bytes = 0;  // of a head
    uint16_t next = kNoSlot;      // next free descriptor, or next of the chain
    uint16_t descriptors = 0;     // of a head with kLong: how many they are
  };

  struct InOrder {
    UsedBatch batch;
    uint16_t oldest = 0;     // head of the chain to be collected next
    uint16_t last_free = 0;  // if any is free
  };

  SplitDriver(const SplitRing& ring, const Options& options,
              absl::Span<SharedDescriptor> tables);

  static absl::StatusOr<SplitDriver> Find(const GuestMemory& memory,
                                          const SplitRingAddrs& addrs,
                                          const Options& options);
  // Becomes what `state` says, which passed CheckDriverState.
  void SetTo(const DriverState& state);
  void SetChain(const DriverState::InFlight& chain, uint64_t number);
  std::vector<uint16_t> HeadsInFlight() const;  // as they were added
  DriverState::InFlight SaveChain(uint16_t head) const;

  struct Filled {
    uint16_t last = kNoSlot;  // the slot after which free ones go on
    uint64_t bytes = 0;
    uint64_t writable_bytes = 0;
  };
  // Write a chain into the slots from free_head_ on, or into the table of that
  // one slot. They take nothing yet.
  Filled FillRing(absl::Span<const Buffer> readable,
                  absl::Span<const Buffer> writable);
  Filled FillTable(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable);

  // Chains used and not collected, by the used idx; 0 if that is not lawful.
  uint16_t ReadUsed();
  // Whether an element is lawful; else the queue is quarantined.
  bool Accept(uint32_t head, uint32_t len);
  std::optional<Used> CollectAny(uint32_t head, uint32_t len);
  Used Release(uint32_t head, uint32_t len);
  std::optional<Used> CollectInOrder();
  bool LookForBatch();
  uint16_t LastOf(uint16_t head) const;
  void Quarantine(absl::string_view fault);

  SplitRing ring_;
  Notification notification_;
  absl::Span<SharedDescriptor> tables_;
  GuestAddr tables_at_;
  uint16_t table_entries_ = 0;
  absl::Status status_;
  std::vector<Slot> slots_;
  std::optional<InOrder> in_order_;  // with VIRTIO_F_IN_ORDER
  uint32_t extra_ = 0;  // descriptors in use, beyond one for each chain
  uint16_t free_head_ = kNoSlot;  // so also when quarantined
  // Chains since the beginning; modulo 65536 they are the indices of the ring.
  uint64_t added_ = 0;
  uint64_t published_ = 0;
  uint64_t used_ = 0;  // when last looked
  uint64_t collected_ = 0;
  // Keeps what follows in memory, such as the other half, off their cache line.
  [[maybe_unused]] std::byte apart_[kCacheLine] = {};
};

// The two that follow are on the way of every packet, and shorter than a call
// if the chain is of one descriptor.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void SplitDriver::AddOnly(
    absl::Span<const Buffer> readable, absl::Span<const Buffer> writable,
    uint64_t token) {
  const uint16_t head = free_head_;
  const bool writes = readable.empty();
  const Buffer& buffer = (writes ? writable : readable).front();
  Slot& slot = slots_[head];
  free_head_ = slot.next;
  slot.desc->Store({.addr = buffer.addr.value(),
                    .len = buffer.len,
                    .flags = writes ? kDescWrite : uint16_t{0}});
  slot.token = token;
  slot.chain = added_;
  slot.writable_bytes = writes ? buffer.len : 0;
  ring_.avail_ring[added_].Store(head);
  ++added_;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline std::optional<DriverTerms::Used>
SplitDriver::CollectSeen() {
  const SharedUsedElem& elem = ring_.used_ring[collected_];
  const uint32_t head = elem.id.Load();
  const uint32_t len = elem.len.Load();
  if (!ring_.desc.Has(head)) [[unlikely]]
    return CollectAny(head, len);
  Slot& slot = slots_[head];
  if (slot.chain >= published_ || len > slot.writable_bytes) [[unlikely]] {
    return CollectAny(head, len);
  }
  slot.chain = kNoChain;
  slot.next = free_head_;
  free_head_ = static_cast<uint16_t>(head);
  ++collected_;
  return Used{.token = slot.token, .len = len};
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPLIT_DRIVER_H_
