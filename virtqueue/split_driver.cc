#include "virtqueue/split_driver.h"

#include <algorithm>
#include <limits>

namespace virtqueue {
namespace {

// The descriptor of `buffer`, linked to `next` unless it is the last.
Descriptor Linked(const SplitDriver::Buffer& buffer, uint16_t flags,
                  bool linked, uint16_t next) {
  Descriptor desc = {
      .addr = buffer.addr.value(), .len = buffer.len, .flags = flags};
  if (linked) {
    desc.flags |= kDescNext;
    desc.next = next;
  }
  return desc;
}

// 2.7.10.1: used flags are 0 when the driver allocates the ring. So is all.
void Zero(const SplitRing& ring) {
  for (uint32_t i = 0; i < ring.desc.size(); ++i) {
    ring.desc[i].Store({});
    ring.avail_ring[i].Store(0);
    ring.used_ring[i].id.Store(0);
    ring.used_ring[i].len.Store(0);
  }
  for (SharedLe16* word : {ring.avail_flags, ring.avail_idx, ring.used_event,
                           ring.used_flags, ring.used_idx, ring.avail_event}) {
    word->Store(0);
  }
}

}  // namespace

absl::StatusOr<SplitDriver> SplitDriver::Create(const GuestMemory& memory,
                                                const SplitRingAddrs& addrs,
                                                const Options& options) {
  absl::StatusOr<SplitDriver> driver = Find(memory, addrs, options);
  if (driver.ok()) Zero(driver->ring_);
  return driver;
}

absl::StatusOr<SplitDriver> SplitDriver::Restore(const GuestMemory& memory,
                                                 const SplitRingAddrs& addrs,
                                                 const Options& options,
                                                 const DriverState& state) {
  absl::StatusOr<SplitDriver> driver = Find(memory, addrs, options);
  if (!driver.ok()) return driver;
  absl::Status status =
      CheckDriverState(state, RingFormat::kSplit, options.size);
  if (status.ok()) status = CheckOrder(state, options.in_order);
  if (!status.ok()) return status;
  driver->SetTo(state);
  return driver;
}

absl::StatusOr<SplitDriver> SplitDriver::Find(const GuestMemory& memory,
                                              const SplitRingAddrs& addrs,
                                              const Options& options) {
  const absl::StatusOr<SplitRing> ring =
      SplitRing::Map(memory, addrs, options.size);
  if (!ring.ok()) return ring.status();
  absl::Span<SharedDescriptor> tables;
  if (options.indirect && options.indirect_table_entries != 0) {
    const auto found = memory.Table<SharedDescriptor>(
        options.indirect_tables,
        uint32_t{options.size} * options.indirect_table_entries);
    if (!found.ok()) return found.status();
    tables = *found;
  }
  return SplitDriver(*ring, options, tables);
}

SplitDriver::SplitDriver(const SplitRing& ring, const Options& options,
                         absl::Span<SharedDescriptor> tables)
    : ring_(ring),
      notification_(Notification::OfDriver(ring, options.event_idx)),
      tables_(tables),
      tables_at_(options.indirect_tables),
      table_entries_(tables.empty() ? 0 : options.indirect_table_entries),
      slots_(options.size),
      free_head_(0) {
  for (uint32_t i = 0; i < options.size; ++i) {
    slots_[i].desc = &ring_.desc[i];
    if (i != 0) slots_[i - 1].next = static_cast<uint16_t>(i);
  }
  if (options.in_order) {
    in_order_ = {.last_free = static_cast<uint16_t>(options.size - 1)};
  }
}

bool SplitDriver::Publish() {
  if (added_ == published_ || !status_.ok()) return false;
  const auto old_idx = static_cast<uint16_t>(published_);
  const auto new_idx = static_cast<uint16_t>(added_);
  published_ = added_;
  ring_.avail_idx->Store(new_idx, std::memory_order_seq_cst);
  return notification_.PeerMustBeNotified(new_idx, old_idx);
}

bool SplitDriver::EnableNotifications() {
  const auto next = static_cast<uint16_t>(collected_);
  notification_.Enable(next);
  if (!status_.ok()) return false;
  return ring_.used_idx->Load(std::memory_order_seq_cst) != next;
}

bool SplitDriver::EnableNotificationsDelayed() {
  const auto next = static_cast<uint16_t>(collected_);
  const auto ahead = static_cast<uint16_t>((published_ - collected_) * 3 / 4);
  notification_.Enable(static_cast<uint16_t>(next + ahead));
  if (!status_.ok()) return false;
  const uint16_t idx = ring_.used_idx->Load(std::memory_order_seq_cst);
  return static_cast<uint16_t>(idx - next) > ahead;
}

void SplitDriver::DisableNotifications() {
  notification_.Disable(static_cast<uint16_t>(collected_));
}

SplitDriver::AddResult SplitDriver::AddAny(absl::Span<const Buffer> readable,
                                           absl::Span<const Buffer> writable,
                                           uint64_t token) {
  if (!status_.ok()) return AddResult::kBroken;
  const size_t descriptors = readable.size() + writable.size();
  if (descriptors == 0 || descriptors > size()) return AddResult::kRefused;
  const bool takes_table = descriptors > 1 && descriptors <= table_entries_;
  const auto needed = static_cast<uint16_t>(takes_table ? 1 : descriptors);
  if (needed > free_descriptors()) return AddResult::kNoRoom;

  // Free descriptors may be filled whatever becomes of the chain.
  const Filled filled = takes_table ? FillTable(readable, writable)
                                    : FillRing(readable, writable);
  if (filled.bytes > kMaxChainBytes) return AddResult::kRefused;
  Slot& slot = slots_[free_head_];
  slot.token = token;
  slot.chain = needed == 1 ? added_ : added_ | kLong;
  // 2^32 bytes are more than a used length can say.
  slot.writable_bytes = static_cast<uint32_t>(std::min<uint64_t>(
      filled.writable_bytes, std::numeric_limits<uint32_t>::max()));
  slot.descriptors = needed;
  ring_.avail_ring[added_].Store(free_head_);
  ++added_;
  extra_ += needed - 1u;
  free_head_ = slots_[filled.last].next;
  return AddResult::kAdded;
}

SplitDriver::Filled SplitDriver::FillRing(absl::Span<const Buffer> readable,
                                          absl::Span<const Buffer> writable) {
  size_t left = readable.size() + writable.size();
  Filled filled;
  uint16_t index = free_head_;
  const auto fill = [&](absl::Span<const Buffer> buffers, uint16_t flags) {
    uint64_t bytes = 0;
    for (const Buffer& buffer : buffers) {
      bytes += buffer.len;
      filled.last = index;
      const Slot& slot = slots_[index];
      index = slot.next;
      slot.desc->Store(Linked(buffer, flags, --left != 0, index));
    }
    return bytes;
  };
  filled.bytes = fill(readable, 0);
  filled.writable_bytes = fill(writable, kDescWrite);
  filled.bytes += filled.writable_bytes;
  return filled;
}

SplitDriver::Filled SplitDriver::FillTable(absl::Span<const Buffer> readable,
                                           absl::Span<const Buffer> writable) {
  const size_t descriptors = readable.size() + writable.size();
  const size_t first = size_t{free_head_} * table_entries_;
  const absl::Span<SharedDescriptor> table =
      tables_.subspan(first, descriptors);
  uint16_t next = 0;
  const auto fill = [&](absl::Span<const Buffer> buffers, uint16_t flags) {
    uint64_t bytes = 0;
    for (const Buffer& buffer : buffers) {
      bytes += buffer.len;
      SharedDescriptor& entry = table[next++];
      entry.Store(Linked(buffer, flags, next != descriptors, next));
    }
    return bytes;
  };
  Filled filled = {.last = free_head_};
  filled.bytes = fill(readable, 0);
  filled.writable_bytes = fill(writable, kDescWrite);
  filled.bytes += filled.writable_bytes;
  slots_[free_head_].desc->Store(
      {.addr = (tables_at_ + first * kDescriptorBytes).value(),
       .len = static_cast<uint32_t>(descriptors * kDescriptorBytes),
       .flags = kDescIndirect});
  return filled;
}

bool SplitDriver::LookForUsed() {
  if (!status_.ok() || in_order_) return false;
  const uint16_t ahead = ReadUsed();
  used_ = collected_ + ahead;
  return ahead != 0;
}

uint16_t SplitDriver::ReadUsed() {
  const uint16_t idx = ring_.used_idx->Load(std::memory_order_acquire);
  const auto ahead = static_cast<uint16_t>(idx - collected_);
  if (ahead <= published_ - collected_) return ahead;
  Quarantine("2.7.8: used idx is ahead of what was made available");
  return 0;
}

std::optional<SplitDriver::Used> SplitDriver::CollectAny(uint32_t head,
                                                         uint32_t len) {
  if (!Accept(head, len)) return std::nullopt;
  return Release(head, len);
}

bool SplitDriver::Accept(uint32_t head, uint32_t len) {
  if (!ring_.desc.Has(head)) {
    Quarantine("2.7.8: used id is no descriptor of the table");
  } else if ((slots_[head].chain & ~kLong) >= published_) {
    Quarantine("2.7.8: used id is of no chain that the device has");
  } else if (len > slots_[head].writable_bytes) {
    Quarantine("2.7.8.2: used len is more than the chain can hold");
  }
  return status_.ok();
}

SplitDriver::Used SplitDriver::Release(uint32_t head, uint32_t len) {
  Slot& slot = slots_[head];
  const uint16_t last = LastOf(static_cast<uint16_t>(head));
  extra_ -= slot.descriptors - 1u;
  slots_[last].next = free_head_;
  free_head_ = static_cast<uint16_t>(head);
  slot.chain = kNoChain;
  ++collected_;
  return {.token = slot.token, .len = len};
}

// The last descriptor of the chain that begins at `head`.
uint16_t SplitDriver::LastOf(uint16_t head) const {
  if ((slots_[head].chain & kLong) == 0) return head;
  uint16_t last = head;
  for (uint32_t i = 1; i < slots_[head].descriptors; ++i) {
    last = slots_[last].next;
  }
  return last;
}

std::optional<SplitDriver::Used> SplitDriver::CollectInOrder() {
  if (in_order_->batch.empty() && !LookForBatch()) return std::nullopt;
  const uint16_t head = in_order_->oldest;
  const uint16_t last = LastOf(head);
  Slot& slot = slots_[head];
  if (head != last) extra_ -= slot.descriptors - 1u;
  // Free ones are taken from the front.
  (free_head_ == kNoSlot ? free_head_ : slots_[in_order_->last_free].next) =
      head;
  slots_[last].next = kNoSlot;
  in_order_->last_free = last;
  in_order_->oldest = static_cast<uint16_t>(last + 1u == size() ? 0 : last + 1);
  slot.chain = kNoChain;
  used_ = ++collected_;  // so that SeesUsed stays false
  return Used{.token = slot.token,
              .len = in_order_->batch.TakeLen(slot.writable_bytes)};
}

bool SplitDriver::LookForBatch() {
  if (!status_.ok()) return false;
  const uint16_t ahead = ReadUsed();
  if (ahead == 0) return false;
  const SharedUsedElem& elem = ring_.used_ring[collected_];
  const uint32_t head = elem.id.Load();
  const uint32_t len = elem.len.Load();
  if (!Accept(head, len)) return false;
  const uint64_t chains = (slots_[head].chain & ~kLong) - collected_ + 1;
  if (chains > ahead) {
    Quarantine("2.7.9: batch ends beyond the used idx");
    return false;
  }
  in_order_->batch = UsedBatch(static_cast<uint32_t>(chains), len);
  return true;
}

void SplitDriver::Quarantine(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  used_ = collected_;    // so that Collect looks at status_
  free_head_ = kNoSlot;  // and so does Add
}

}  // namespace virtqueue
