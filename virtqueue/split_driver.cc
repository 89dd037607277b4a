#include "virtqueue/split_driver.h"

#include <algorithm>
#include <limits>
#include <utility>

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
    : next_(ring.avail_ring, 0),
      next_used_(ring.used_ring, 0),
      used_stop_(next_used_.at()),
      slots_(std::make_unique<Slot[]>(options.size)),
      ring_(ring),
      notification_(Notification::OfDriver(ring, options.event_idx)),
      table_entries_(tables.empty() ? 0 : options.indirect_table_entries),
      tables_(tables),
      tables_at_(options.indirect_tables) {
  free_ = &slots_[0];
  for (uint32_t i = 0; i < options.size; ++i) {
    slots_[i].number = static_cast<uint16_t>(i);
    slots_[i].desc = &ring_.desc[i];
    if (i != 0) slots_[i - 1].next = &slots_[i];
  }
  if (options.in_order) in_order_ = {.last_free = &slots_[options.size - 1]};
  stop_ = next_.ShortSteps(options.size);
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
  const auto next = static_cast<uint16_t>(next_used_.count());
  notification_.Enable(next);
  if (!status_.ok()) return false;
  return ring_.used_idx->Load(std::memory_order_seq_cst) != next;
}

bool SplitDriver::EnableNotificationsDelayed() {
  const auto next = static_cast<uint16_t>(next_used_.count());
  const uint64_t with_device = published_ - next_used_.count();
  const auto ahead = static_cast<uint16_t>(with_device * 3 / 4);
  notification_.Enable(static_cast<uint16_t>(next + ahead));
  if (!status_.ok()) return false;
  const uint16_t idx = ring_.used_idx->Load(std::memory_order_seq_cst);
  return static_cast<uint16_t>(idx - next) > ahead;
}

void SplitDriver::DisableNotifications() {
  notification_.Disable(static_cast<uint16_t>(next_used_.count()));
}

SplitDriver::AddResult SplitDriver::AddAny(absl::Span<const Buffer> readable,
                                           absl::Span<const Buffer> writable,
                                           uint64_t token) {
  if (!status_.ok()) return AddResult::kBroken;
  const size_t descriptors = readable.size() + writable.size();
  if (descriptors == 0 || descriptors > size()) return AddResult::kRefused;
  const bool takes_table = descriptors > 1 && descriptors <= table_entries_;
  const auto needed = static_cast<uint16_t>(takes_table ? 1 : descriptors);
  const uint32_t free = free_descriptors();
  if (needed > free) return AddResult::kNoRoom;

  // Free descriptors may be filled whatever becomes of the chain.
  const Filled filled = takes_table ? FillTable(readable, writable)
                                    : FillRing(readable, writable);
  if (filled.bytes > kMaxChainBytes) return AddResult::kRefused;
  Slot& slot = *free_;
  free_ = filled.last->next;
  slot.token = token;
  slot.chain = needed == 1 ? added_ : added_ | kLong;
  // 2^32 bytes are more than a used length can say.
  slot.writable_bytes = static_cast<uint32_t>(std::min<uint64_t>(
      filled.writable_bytes, std::numeric_limits<uint32_t>::max()));
  slot.descriptors = needed;
  slot.last = filled.last;
  next_.at()->Store(slot.number);
  next_.Step();
  ++added_;
  extra_ += needed - 1u;
  stop_ = next_.ShortSteps(free - needed);
  return AddResult::kAdded;
}

inline SplitDriver::Filled SplitDriver::FillRing(
    absl::Span<const Buffer> readable, absl::Span<const Buffer> writable) {
  size_t left = readable.size() + writable.size();
  Filled filled;
  Slot* slot = free_;
  const auto fill = [&](absl::Span<const Buffer> buffers, uint16_t flags) {
    uint64_t bytes = 0;
    for (const Buffer& buffer : buffers) {
      bytes += buffer.len;
      filled.last = slot;
      const bool linked = --left != 0;
      slot->desc->Store(
          Linked(buffer, flags, linked, linked ? slot->next->number : 0));
      slot = slot->next;
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
  const size_t first = size_t{free_->number} * table_entries_;
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
  Filled filled = {.last = free_};
  filled.bytes = fill(readable, 0);
  filled.writable_bytes = fill(writable, kDescWrite);
  filled.bytes += filled.writable_bytes;
  free_->desc->Store(
      {.addr = (tables_at_ + first * kDescriptorBytes).value(),
       .len = static_cast<uint32_t>(descriptors * kDescriptorBytes),
       .flags = kDescIndirect});
  return filled;
}

inline bool SplitDriver::Accept(uint32_t head, uint32_t len) {
  if (!ring_.desc.Has(head)) {
    Quarantine("2.7.8: used id is no descriptor of the table");
  } else if ((slots_[head].chain & ~kLong) >= published_) {
    Quarantine("2.7.8: used id is of no chain that the device has");
  } else if (len > slots_[head].writable_bytes) {
    Quarantine("2.7.8.2: used len is more than the chain can hold");
  }
  return status_.ok();
}

SplitDriver::Collected SplitDriver::CollectSeen(uint32_t head, uint32_t len) {
  if (!Accept(head, len)) return Collected::None();
  Slot& slot = slots_[head];
  slot.last->next = free_;
  free_ = &slot;
  const bool stop_moves = next_used_.at() == used_stop_;
  End(slot);
  if (stop_moves) SetUsedStop();
  return {.token = slot.token, .len = len, .any = true};
}

SplitDriver::Collected SplitDriver::CollectAny() {
  if (in_order_) return CollectInOrder();
  if (!status_.ok()) return Collected::None();
  const uint64_t collected = next_used_.count();
  if (collected == used_) {
    const uint16_t ahead = ReadUsed(collected);
    if (ahead == 0) return Collected::None();
    used_ = collected + ahead;
    used_stop_ = next_used_.ShortSteps(ahead);
  }
  if (quick_to_collect()) return QuickCollect();
  const SharedUsedElem& elem = *next_used_.at();
  const uint32_t head = elem.id.Load();  // first, with every compiler
  return CollectSeen(head, elem.len.Load());
}

uint16_t SplitDriver::ReadUsed(uint64_t collected) {
  const uint16_t idx = ring_.used_idx->Load(std::memory_order_acquire);
  const auto ahead = static_cast<uint16_t>(idx - collected);
  if (ahead <= published_ - collected) return ahead;
  Quarantine("2.7.8: used idx is ahead of what was made available");
  return 0;
}

inline void SplitDriver::End(Slot& head) {
  extra_ -= std::exchange(head.descriptors, uint16_t{1}) - 1u;
  head.last = &head;
  head.chain = kNoChain;
  next_used_.Step();
}

SplitDriver::Collected SplitDriver::CollectInOrder() {
  if (in_order_->batch.empty() && !LookForBatch()) return Collected::None();
  Slot& slot = slots_[in_order_->oldest];
  Slot* const last = slot.last;
  // Free ones are taken from the front.
  (free_ == nullptr ? free_ : in_order_->last_free->next) = &slot;
  last->next = nullptr;
  in_order_->last_free = last;
  const uint32_t following = last->number + 1u;
  in_order_->oldest =
      static_cast<uint16_t>(following == size() ? 0 : following);
  End(slot);
  used_stop_ = next_used_.at();
  return {.token = slot.token,
          .len = in_order_->batch.TakeLen(slot.writable_bytes),
          .any = true};
}

bool SplitDriver::LookForBatch() {
  if (!status_.ok()) return false;
  const uint64_t collected = next_used_.count();
  const uint16_t ahead = ReadUsed(collected);
  if (ahead == 0) return false;
  const uint32_t head = next_used_.at()->id.Load();
  const uint32_t len = next_used_.at()->len.Load();
  if (!Accept(head, len)) return false;
  const uint64_t chains = (slots_[head].chain & ~kLong) - collected + 1;
  if (chains > ahead) {
    Quarantine("2.7.9: batch ends beyond the used idx");
    return false;
  }
  in_order_->batch = UsedBatch(static_cast<uint32_t>(chains), len);
  return true;
}

void SplitDriver::Quarantine(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  free_ = nullptr;
  stop_ = next_.at();
  used_stop_ = next_used_.at();
}

void SplitDriver::SetUsedStop() {
  used_stop_ = next_used_.ShortSteps(used_ - next_used_.count());
}

}  // namespace virtqueue
