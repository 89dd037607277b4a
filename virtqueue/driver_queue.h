// driver_queue.h: the driver's half of one split virtqueue.
//
// Spec: virtio 1.3, 2.7.13 "Supplying Buffers to The Device" and 2.7.14
// "Receiving Used Buffers From The Device". The other half: device_queue.h.
// Trust: none in the device. A used ring that breaks a rule quarantines the
// queue: nothing more is added, published or collected, and status() names the
// clause. How each kind of it ends:
//
//   used idx ahead by more than what was published      quarantined, 2.7.8
//   id that is no entry of the descriptor table         quarantined, 2.7.8
//   id of no chain the device has: used before, never
//     added, not yet published, not a head              quarantined, 2.7.8
//   len of more than the chain's writable bytes         quarantined, 2.7.8.2
//
// All that is needed later is kept outside of the shared memory.
// Left out: packed rings, VIRTIO_F_IN_ORDER, reset (destroy and create anew).
//
// One thread at a time may use a DriverQueue; the device half may be on
// another.

#ifndef VIRTQUEUE_DRIVER_QUEUE_H_
#define VIRTQUEUE_DRIVER_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/notification.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {

class alignas(kCacheLine) DriverQueue {
 public:
  struct Options {
    uint16_t size = 0;       // N
    bool event_idx = false;  // VIRTIO_F_EVENT_IDX was negotiated
    bool indirect = false;   // VIRTIO_F_INDIRECT_DESC was negotiated
    // With `indirect`: N tables, each of so many descriptors, from here on. A
    // chain of 2 to that many descriptors takes a table; any other none.
    GuestAddr indirect_tables = GuestAddr(0);
    uint16_t indirect_table_entries = 0;

    uint64_t IndirectBytes() const {  // what the tables take
      return uint64_t{size} * indirect_table_entries * kDescriptorBytes;
    }
  };

  // Zeroes the ring at `addrs`; the bytes of `memory` outlive the queue.
  // Errors: see SplitRing::Map; and OutOfRange if the tables leave memory.
  static absl::StatusOr<DriverQueue> Create(const GuestMemory& memory,
                                            const SplitRingAddrs& addrs,
                                            const Options& options);

  struct Buffer {  // one descriptor
    GuestAddr addr = GuestAddr(0);
    uint32_t len = 0;
  };
  enum class AddResult {
    kAdded,
    kNoRoom,   // too few free descriptors: collect first
    kRefused,  // no lawful chain: of no descriptors, of more than N
               // (2.7.5.3.1), or of more than 2^32 bytes (2.7.5.2)
    kBroken,   // the queue is quarantined
  };
  // Adds one chain, `readable` before `writable`. The device sees it at
  // Publish; `token` comes back when it has used it. The buffers are the
  // caller's own, so whether they lie in memory is not asked.
  AddResult Add(absl::Span<const Buffer> readable,
                absl::Span<const Buffer> writable, uint64_t token);

  // Makes all chains added since the last call visible to the device. True if
  // the device must be notified of them, 2.7.10.1.
  bool Publish();

  struct Used {
    uint64_t token = 0;
    uint32_t len = 0;  // so many writable bytes were written, at least
  };
  // The next used chain, in the order the device used them.
  std::optional<Used> Collect();

  // Asks the device to notify of the next used chain. True if one is used
  // already: notification of that may never come, so collect again.
  bool EnableNotifications();
  // The same, but not before three quarters of what the device has are used.
  bool EnableNotificationsDelayed();
  void DisableNotifications();

  uint16_t free_descriptors() const { return free_; }
  uint32_t in_flight() const {  // chains added and not collected
    return static_cast<uint32_t>(added_ - collected_);
  }
  uint16_t size() const { return static_cast<uint16_t>(mask_ + 1); }
  // OK, or why the queue is quarantined.
  const absl::Status& status() const { return status_; }

 private:
  static constexpr uint64_t kNotInFlight = ~uint64_t{0};

  struct Slot {  // what is remembered of a descriptor
    uint64_t token = 0;
    uint64_t position = kNotInFlight;  // of a head: which added chain it is
    uint32_t writable_bytes = 0;       // of a head
    uint16_t next = 0;         // next free descriptor, or next of the chain
    uint16_t last = 0;         // of a head: last descriptor of its chain
    uint16_t descriptors = 0;  // of a head: how many it took
  };

  DriverQueue(const SplitRing& ring, const Options& options,
              absl::Span<SharedDescriptor> tables);

  bool RefreshUsed();
  bool TakesTable(size_t descriptors) const;
  uint16_t AddDirect(absl::Span<const Buffer> readable,
                     absl::Span<const Buffer> writable);
  void AddIndirect(absl::Span<const Buffer> readable,
                   absl::Span<const Buffer> writable);
  void Quarantine(const char* why);

  SplitRing ring_;
  Notification notification_;
  absl::Span<SharedDescriptor> tables_;
  absl::Status status_;
  std::vector<Slot> slots_;
  GuestAddr tables_at_;
  uint16_t table_entries_;
  uint16_t mask_;  // N - 1
  uint16_t free_;
  uint16_t free_head_ = 0;
  uint16_t used_idx_ = 0;   // the device's idx when last read
  uint64_t added_ = 0;      // chains since the beginning; mod 65536 they
  uint64_t published_ = 0;  // are the indices of the ring
  uint64_t collected_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_QUEUE_H_
