#include "virtqueue/packed_driver.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace virtqueue {
namespace {

using Buffers = absl::Span<const DriverTerms::Buffer>;

uint64_t Bytes(Buffers buffers) {
  uint64_t bytes = 0;
  for (const DriverTerms::Buffer& buffer : buffers) bytes += buffer.len;
  return bytes;
}

// Without WRITE a length means nothing.
uint32_t UsedLen(const PackedTail& tail) {
  return (tail.flags & kDescWrite) != 0 ? tail.len : 0;
}

// 2.8.13: the ring begins with zeroes. So does all.
void Zero(const PackedRing& ring) {
  for (uint32_t i = 0; i < ring.size; ++i) ring.desc[i].Store({});
  ring.driver_events->Store({});
  ring.device_events->Store({});
}

}  // namespace

absl::StatusOr<PackedDriver> PackedDriver::Create(const GuestMemory& memory,
                                                  const PackedRingAddrs& addrs,
                                                  const Options& options) {
  absl::StatusOr<PackedDriver> driver = Find(memory, addrs, options);
  if (driver.ok()) Zero(driver->ring_);
  return driver;
}

absl::StatusOr<PackedDriver> PackedDriver::Restore(const GuestMemory& memory,
                                                   const PackedRingAddrs& addrs,
                                                   const Options& options,
                                                   const DriverState& state) {
  absl::StatusOr<PackedDriver> driver = Find(memory, addrs, options);
  if (!driver.ok()) return driver;
  absl::Status status =
      CheckDriverState(state, RingFormat::kPacked, options.size);
  if (status.ok()) status = CheckOrder(state, options.in_order);
  if (!status.ok()) return status;
  driver->SetTo(state);
  return driver;
}

absl::StatusOr<PackedDriver> PackedDriver::Find(const GuestMemory& memory,
                                                const PackedRingAddrs& addrs,
                                                const Options& options) {
  const absl::StatusOr<PackedRing> ring =
      PackedRing::Map(memory, addrs, options.size);
  if (!ring.ok()) return ring.status();
  absl::Span<SharedPackedDescriptor> tables;
  if (options.indirect && options.indirect_table_entries != 0) {
    const auto found = memory.Table<SharedPackedDescriptor>(
        options.indirect_tables,
        uint32_t{options.size} * options.indirect_table_entries);
    if (!found.ok()) return found.status();
    tables = *found;
  }
  return PackedDriver(*ring, options, tables);
}

PackedDriver::PackedDriver(const PackedRing& ring, const Options& options,
                           absl::Span<SharedPackedDescriptor> tables)
    : next_(PackedCursor::Available(ring, PackedPosition())),
      stop_(next_.at()),
      room_end_(next_.ShortSteps(ring.size)),
      next_used_(PackedCursor::Used(ring, PackedPosition())),
      ids_end_(ring.size),
      ids_(std::make_unique<Id[]>(ring.size)),
      free_ids_(std::make_unique<Id*[]>(ring.size)),
      first_added_(next_),
      table_entries_(tables.empty() ? 0 : options.indirect_table_entries),
      ring_(ring),
      notification_(PackedNotification::OfDriver(ring, options.event_idx)),
      tables_(tables),
      tables_at_(options.indirect_tables) {
  // There are as many ids as slots, so who finds a slot finds an id; 0 first.
  free_end_ = &free_ids_[0];
  for (uint32_t i = ring.size; i-- > 0;) {
    ids_[i].tail = PackedTail{.id = static_cast<uint16_t>(i)}.word();
    *free_end_++ = &ids_[i];
  }
  if (options.in_order) in_order_ = InOrder{};
  SetUsedStop();
}

bool PackedDriver::Publish() {
  if (added_ == published_ || !status_.ok()) return false;
  published_ = added_;
  stop_ = next_.at();  // the first one of the next batch is held
  first_added_.at()->StoreWord(held_, std::memory_order_seq_cst);
  const bool notify = notification_.PeerMustBeNotified(first_added_, next_);
  first_added_ = next_;
  return notify;
}

bool PackedDriver::EnableNotifications() {
  notification_.Enable(next_used_.off_wrap());
  return HasUsed();
}

bool PackedDriver::EnableNotificationsDelayed() {
  PackedCursor event = next_used_;
  event.Advance(next_used_.DistanceTo(first_added_) * 3 / 4);
  notification_.Enable(event.off_wrap());
  return HasUsed();
}

bool PackedDriver::HasUsed() const {
  if (!status_.ok()) return false;
  if (in_order_ && !in_order_->batch.empty()) return true;
  return next_used_.Matches(
      next_used_.at()->LoadWord(std::memory_order_seq_cst));
}

DriverTerms::AddResult PackedDriver::AddAny(Buffers readable, Buffers writable,
                                            uint64_t token) {
  SharedPackedDescriptor& desc = *next_.at();
  const bool looks_closer = &desc == room_end_;
  if (readable.size() + writable.size() != 1 || (looks_closer && !HasRoom())) {
    return AddList(readable, writable, token);
  }
  // The usual chain, the first one of a batch or where room_end_ was.
  const bool writes = readable.empty();
  const Buffer& buffer = *(writes ? writable : readable).data();
  desc.StoreAddr(buffer.addr.value());
  Expose(desc, SetId(buffer, writes, token));
  --free_end_;
  ++added_;
  next_.Step();
  stop_ = room_end_;
  if (looks_closer) SetStop(free_descriptors());
  return AddResult::kAdded;
}

inline void PackedDriver::FillRing(Buffers readable, Buffers writable) {
  size_t left = readable.size() + writable.size();
  const uint64_t id = free_id().tail;
  SharedPackedDescriptor& first = *next_.at();
  uint64_t first_tail = 0;
  PackedCursor at = next_;
  const auto fill = [&](Buffers buffers, uint64_t flags) {
    for (const Buffer& buffer : buffers) {
      SharedPackedDescriptor& desc = *at.at();
      const uint64_t linked = --left != 0 ? kNextMark : 0;
      const uint64_t tail = buffer.len | flags | linked | id | at.marks();
      desc.StoreAddr(buffer.addr.value());
      if (&desc == &first) {
        first_tail = tail;
      } else {
        desc.StoreWord(tail, std::memory_order_release);
      }
      at.Step();
    }
  };
  fill(readable, 0);
  fill(writable, kWriteMark);
  Expose(first, first_tail);  // 2.8.17: after all others
  next_ = at;
}

void PackedDriver::FillTable(Buffers readable, Buffers writable) {
  const size_t descriptors = readable.size() + writable.size();
  const size_t first = size_t{NumberOf(free_id())} * table_entries_;
  SharedPackedDescriptor* entry = &tables_[first];
  const auto fill = [&](Buffers buffers, uint16_t flags) {
    for (const Buffer& buffer : buffers) {
      entry++->Store({.addr = buffer.addr.value(),
                      .tail = {.len = buffer.len, .flags = flags}});
    }
  };
  fill(readable, 0);
  fill(writable, kDescWrite);
  const PackedTail tail = {
      .len = static_cast<uint32_t>(descriptors * kDescriptorBytes),
      .flags = kDescIndirect};
  SharedPackedDescriptor& desc = *next_.at();
  desc.StoreAddr((tables_at_ + first * kDescriptorBytes).value());
  Expose(desc, tail.word() | free_id().tail | next_.marks());
  next_.Step();
}

DriverTerms::AddResult PackedDriver::AddList(Buffers readable, Buffers writable,
                                             uint64_t token) {
  if (!status_.ok()) return AddResult::kBroken;
  const size_t descriptors = readable.size() + writable.size();
  if (descriptors == 0 || descriptors > size()) return AddResult::kRefused;
  const bool takes_table = descriptors > 1 && descriptors <= table_entries_;
  const uint32_t needed = takes_table ? 1 : static_cast<uint32_t>(descriptors);
  const uint32_t free = free_descriptors();
  if (needed > free) return AddResult::kNoRoom;
  const uint64_t writable_bytes = Bytes(writable);
  if (Bytes(readable) + writable_bytes > kMaxChainBytes) {
    return AddResult::kRefused;
  }

  Id& id = free_id();
  id.token = token;
  id.chain = needed == 1 ? added_ : added_ | kLong;
  // 2^32 bytes are more than a used length can say.
  id.writable_bytes = static_cast<uint32_t>(
      std::min<uint64_t>(writable_bytes, std::numeric_limits<uint32_t>::max()));
  id.slots = needed;
  if (takes_table) {
    FillTable(readable, writable);
  } else {
    FillRing(readable, writable);
  }
  extra_ += needed - 1u;
  --free_end_;
  ++added_;
  SetStop(free - needed);
  return AddResult::kAdded;
}

inline bool PackedDriver::Accept(const PackedTail& tail) {
  if (tail.id >= ring_.size) {
    Quarantine("2.8.22: used id beyond the queue size");
  } else if ((ids_[tail.id].chain & ~kLong) >= published_) {
    Quarantine("2.8.22: used id is of no chain that the device has");
  } else if (UsedLen(tail) > ids_[tail.id].writable_bytes) {
    Quarantine("2.8.4: used length is more than the chain can hold");
  }
  return status_.ok();
}

// All but that the id is free now.
inline void PackedDriver::Release(Id& id) {
  const uint32_t slots = std::exchange(id.slots, 1);
  extra_ -= slots - 1;
  const bool lap_begins = next_used_.Advance(slots);
  if (lap_begins || in_order_) SetUsedStop();
  id.chain = kNoChain;
}

DriverTerms::Collected PackedDriver::CollectAny() {
  if (in_order_) return CollectInOrder();
  if (!status_.ok()) return Collected::None();
  return CollectSeen(next_used_.at()->LoadWord(std::memory_order_acquire));
}

DriverTerms::Collected PackedDriver::CollectSeen(uint64_t word) {
  if (!next_used_.Matches(word)) return Collected::None();
  const PackedTail tail = PackedTail::Decode(word);
  if (!Accept(tail)) return Collected::None();
  Id& id = ids_[tail.id];
  *free_end_++ = &id;
  Release(id);
  return {.token = id.token, .len = UsedLen(tail), .any = true};
}

DriverTerms::Collected PackedDriver::CollectInOrder() {
  if (in_order_->batch.empty() && !LookForBatch()) return Collected::None();
  Id& id = ids_[in_order_->oldest];
  Release(id);
  const uint32_t following = in_order_->oldest + 1u;
  in_order_->oldest =
      static_cast<uint16_t>(following == ring_.size ? 0 : following);
  return {.token = id.token,
          .len = in_order_->batch.TakeLen(id.writable_bytes),
          .any = true};
}

bool PackedDriver::LookForBatch() {
  if (!status_.ok()) return false;
  const uint64_t word = next_used_.at()->LoadWord(std::memory_order_acquire);
  if (!next_used_.Matches(word)) return false;
  const PackedTail tail = PackedTail::Decode(word);
  if (!Accept(tail)) return false;
  const uint64_t collected = added_ - in_flight();
  const uint64_t last = ids_[tail.id].chain & ~kLong;
  in_order_->batch =
      UsedBatch(static_cast<uint32_t>(last - collected + 1), UsedLen(tail));
  return true;
}

void PackedDriver::Quarantine(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  SetStop(/*free=*/0);
  SetUsedStop();
}

void PackedDriver::SetStop(uint32_t free) {
  if (in_order_) {
    // Who takes the last id looks closer, and comes here.
    if (free_end_ == &free_ids_[0]) free_end_ += ring_.size;
    const auto ids = static_cast<uint32_t>(free_end_ - &free_ids_[0]);
    free = std::min(free, ids - 1);
  }
  room_end_ = next_.ShortSteps(free);
  stop_ = room_end_;
}

void PackedDriver::SetUsedStop() {
  const bool closer = !status_.ok() || in_order_;
  used_stop_ = next_used_.ShortSteps(closer ? 0 : ring_.size);
}

}  // namespace virtqueue
