#include "virtqueue/driver_queue.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "virtqueue/check.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMaxChainBytes = uint64_t{1} << 32;  // 2.7.5.2

uint64_t TotalBytes(absl::Span<const DriverQueue::Buffer> buffers) {
  uint64_t bytes = 0;
  for (const DriverQueue::Buffer& buffer : buffers) bytes += buffer.len;
  return bytes;
}

// 2.7.10.1: the driver zeroes what it allocates for a ring.
void Zero(SplitRing& ring) {
  for (SharedDescriptor& desc : ring.desc) desc.Store({});
  ring.avail->flags.Store(0);
  ring.avail->idx.Store(0);
  for (SharedLe16& head : ring.avail_ring) head.Store(0);
  ring.used_event->Store(0);
  ring.used->flags.Store(0);
  ring.used->idx.Store(0);
  for (SharedUsedElem& elem : ring.used_ring) {
    elem.id.Store(0);
    elem.len.Store(0);
  }
  ring.avail_event->Store(0);
}

}  // namespace

absl::StatusOr<DriverQueue> DriverQueue::Create(const GuestMemory& memory,
                                                const SplitRingAddrs& addrs,
                                                const Options& options) {
  absl::StatusOr<SplitRing> ring = SplitRing::Map(memory, addrs, options.size);
  if (!ring.ok()) return ring.status();
  absl::Span<SharedDescriptor> tables;
  if (options.indirect && options.indirect_table_entries != 0) {
    const absl::StatusOr<absl::Span<SharedDescriptor>> found =
        memory.Table<SharedDescriptor>(
            options.indirect_tables,
            uint32_t{options.size} * options.indirect_table_entries);
    if (!found.ok()) return found.status();
    tables = *found;
  }
  Zero(*ring);
  return DriverQueue(*ring, options, tables);
}

DriverQueue::DriverQueue(const SplitRing& ring, const Options& options,
                         absl::Span<SharedDescriptor> tables)
    : ring_(ring),
      notification_(Notification::OfDriver(ring, options.event_idx)),
      tables_(tables),
      slots_(options.size),
      tables_at_(options.indirect_tables),
      table_entries_(tables.empty() ? 0 : options.indirect_table_entries),
      mask_(static_cast<uint16_t>(options.size - 1)),
      free_(options.size) {
  for (uint32_t i = 0; i < options.size; ++i) {
    slots_[i].next = static_cast<uint16_t>((i + 1) & mask_);
  }
}

DriverQueue::AddResult DriverQueue::Add(absl::Span<const Buffer> readable,
                                        absl::Span<const Buffer> writable,
                                        uint64_t token) {
  if (!status_.ok()) return AddResult::kBroken;
  const size_t descriptors = readable.size() + writable.size();
  if (descriptors == 0 || descriptors > size()) return AddResult::kRefused;
  const uint64_t writable_bytes = TotalBytes(writable);
  if (TotalBytes(readable) + writable_bytes > kMaxChainBytes) {
    return AddResult::kRefused;
  }
  const bool takes_table = TakesTable(descriptors);
  const uint16_t needed =
      takes_table ? uint16_t{1} : static_cast<uint16_t>(descriptors);
  if (needed > free_) return AddResult::kNoRoom;

  const uint16_t head = free_head_;
  uint16_t last = head;
  if (takes_table) {
    AddIndirect(readable, writable);
  } else {
    last = AddDirect(readable, writable);
  }
  free_head_ = slots_[last].next;
  free_ = static_cast<uint16_t>(free_ - needed);
  Slot& slot = slots_[head];
  slot.token = token;
  slot.position = added_;
  slot.writable_bytes = static_cast<uint32_t>(
      std::min<uint64_t>(writable_bytes, std::numeric_limits<uint32_t>::max()));
  slot.last = last;
  slot.descriptors = needed;
  ring_.avail_ring[added_ & mask_].Store(head);
  ++added_;
  return AddResult::kAdded;
}

bool DriverQueue::Publish() {
  if (added_ == published_ || !status_.ok()) return false;
  const uint16_t old_idx = static_cast<uint16_t>(published_);
  const uint16_t new_idx = static_cast<uint16_t>(added_);
  published_ = added_;
  ring_.avail->idx.Store(new_idx, std::memory_order_seq_cst);
  return notification_.PeerMustBeNotified(new_idx, old_idx);
}

std::optional<DriverQueue::Used> DriverQueue::Collect() {
  if (used_idx_ == static_cast<uint16_t>(collected_) && !RefreshUsed()) {
    return std::nullopt;
  }
  const SharedUsedElem& elem = ring_.used_ring[collected_ & mask_];
  const uint32_t head = elem.id.Load();
  const uint32_t len = elem.len.Load();
  if (head > mask_) {
    Quarantine("2.7.8: used id is no descriptor of the table");
    return std::nullopt;
  }
  Slot& slot = slots_[head];
  if (slot.position >= published_) {
    Quarantine("2.7.8: used id is of no chain the device has");
    return std::nullopt;
  }
  if (len > slot.writable_bytes) {
    Quarantine("2.7.8.2: used len is more than the chain can hold");
    return std::nullopt;
  }
  slot.position = kNotInFlight;
  slots_[slot.last].next = free_head_;
  free_head_ = static_cast<uint16_t>(head);
  free_ = static_cast<uint16_t>(free_ + slot.descriptors);
  ++collected_;
  return Used{.token = slot.token, .len = len};
}

bool DriverQueue::EnableNotifications() {
  const uint16_t next = static_cast<uint16_t>(collected_);
  notification_.Enable(next);
  if (!status_.ok()) return false;
  return ring_.used->idx.Load(std::memory_order_seq_cst) != next;
}

bool DriverQueue::EnableNotificationsDelayed() {
  const uint16_t next = static_cast<uint16_t>(collected_);
  const uint16_t ahead =
      static_cast<uint16_t>((published_ - collected_) * 3 / 4);
  notification_.Enable(static_cast<uint16_t>(next + ahead));
  if (!status_.ok()) return false;
  const uint16_t used = ring_.used->idx.Load(std::memory_order_seq_cst);
  return static_cast<uint16_t>(used - next) > ahead;
}

void DriverQueue::DisableNotifications() {
  notification_.Disable(static_cast<uint16_t>(collected_));
}

bool DriverQueue::RefreshUsed() {
  if (!status_.ok()) return false;
  const uint16_t next = static_cast<uint16_t>(collected_);
  used_idx_ = ring_.used->idx.Load(std::memory_order_acquire);
  if (static_cast<uint16_t>(used_idx_ - next) > published_ - collected_) {
    Quarantine("2.7.8: used idx is ahead of what was made available");
    return false;
  }
  return used_idx_ != next;
}

bool DriverQueue::TakesTable(size_t descriptors) const {
  return descriptors > 1 && descriptors <= table_entries_;
}

uint16_t DriverQueue::AddDirect(absl::Span<const Buffer> readable,
                                absl::Span<const Buffer> writable) {
  size_t left = readable.size() + writable.size();
  uint16_t index = free_head_;
  uint16_t last = index;
  const auto put = [&](const Buffer& buffer, uint16_t flags) {
    last = index;
    index = slots_[index].next;
    if (--left != 0) flags |= kDescNext;
    ring_.desc[last].Store({.addr = buffer.addr.value(),
                            .len = buffer.len,
                            .flags = flags,
                            .next = index});
  };
  for (const Buffer& buffer : readable) put(buffer, 0);
  for (const Buffer& buffer : writable) put(buffer, kDescWrite);
  return last;
}

void DriverQueue::AddIndirect(absl::Span<const Buffer> readable,
                              absl::Span<const Buffer> writable) {
  const size_t descriptors = readable.size() + writable.size();
  const size_t first = size_t{free_head_} * table_entries_;
  const absl::Span<SharedDescriptor> table =
      tables_.subspan(first, descriptors);
  uint16_t index = 0;
  const auto put = [&](const Buffer& buffer, uint16_t flags) {
    SharedDescriptor& desc = table[index++];
    if (index != descriptors) flags |= kDescNext;
    desc.Store({.addr = buffer.addr.value(),
                .len = buffer.len,
                .flags = flags,
                .next = index});
  };
  for (const Buffer& buffer : readable) put(buffer, 0);
  for (const Buffer& buffer : writable) put(buffer, kDescWrite);
  ring_.desc[free_head_].Store(
      {.addr = (tables_at_ + first * kDescriptorBytes).value(),
       .len = static_cast<uint32_t>(descriptors * kDescriptorBytes),
       .flags = kDescIndirect});
}

void DriverQueue::Quarantine(const char* why) {
  status_ = absl::DataLossError(why);
  used_idx_ = static_cast<uint16_t>(collected_);
}

}  // namespace virtqueue
