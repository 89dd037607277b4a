#include "virtqueue/packed_driver.h"

#include <algorithm>
#include <limits>

namespace virtqueue {
namespace {

using Buffers = absl::Span<const DriverTerms::Buffer>;

uint64_t Bytes(Buffers buffers) {
  uint64_t bytes = 0;
  for (const DriverTerms::Buffer& buffer : buffers) bytes += buffer.len;
  return bytes;
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
    : ring_(ring),
      notification_(PackedNotification::OfDriver(ring, options.event_idx)),
      tables_(tables),
      tables_at_(options.indirect_tables),
      table_entries_(tables.empty() ? 0 : options.indirect_table_entries),
      ids_(options.size),
      free_(options.size) {
  // There are as many ids as slots, so who finds a slot finds an id.
  for (uint32_t i = 1; i < options.size; ++i) {
    ids_[i - 1].next = static_cast<uint16_t>(i);
  }
  if (options.in_order) {
    in_order_ = InOrder{};
    next_used_.MatchNothing();  // so that Collect goes by in_order_
  }
}

bool PackedDriver::Publish() {
  if (added_ == published_ || !status_.ok()) return false;
  const PackedPosition first = first_added_;
  first_added_ = next_;
  published_ = added_;
  ring_[first].StoreTail(held_, std::memory_order_seq_cst);
  return notification_.PeerMustBeNotified(next_,
                                          first.DistanceTo(next_, ring_.size));
}

bool PackedDriver::EnableNotifications() {
  notification_.Enable(AtUsed());
  return HasUsed();
}

bool PackedDriver::EnableNotificationsDelayed() {
  PackedPosition event = AtUsed();
  event.Advance(event.DistanceTo(first_added_, ring_.size) * 3 / 4, ring_.size);
  notification_.Enable(event);
  return HasUsed();
}

bool PackedDriver::HasUsed() const {
  if (!status_.ok()) return false;
  if (in_order_ && !in_order_->batch.empty()) return true;
  const PackedPosition& at = AtUsed();
  const PackedTail tail = ring_[at].LoadTail(std::memory_order_seq_cst);
  return AvailAndUsed(tail.flags) == at.used();
}

DriverTerms::AddResult PackedDriver::AddAny(Buffers readable, Buffers writable,
                                            uint64_t token) {
  if (!status_.ok()) return AddResult::kBroken;
  const size_t descriptors = readable.size() + writable.size();
  if (descriptors == 0 || descriptors > size()) return AddResult::kRefused;
  const bool takes_table = descriptors > 1 && descriptors <= table_entries_;
  const auto needed = static_cast<uint16_t>(takes_table ? 1 : descriptors);
  if (needed > free_) return AddResult::kNoRoom;
  const uint64_t writable_bytes = Bytes(writable);
  if (Bytes(readable) + writable_bytes > kMaxChainBytes) {
    return AddResult::kRefused;
  }

  if (takes_table) {
    FillTable(readable, writable);
  } else {
    FillRing(readable, writable);
  }
  Id& id = ids_[free_id_];
  free_id_ = id.next;
  id.token = token;
  id.chain = added_;
  // 2^32 bytes are more than a used length can say.
  id.writable_bytes = static_cast<uint32_t>(
      std::min<uint64_t>(writable_bytes, std::numeric_limits<uint32_t>::max()));
  id.slots = needed;
  free_ -= needed;
  ++added_;
  return AddResult::kAdded;
}

void PackedDriver::FillRing(Buffers readable, Buffers writable) {
  size_t left = readable.size() + writable.size();
  const PackedPosition first = next_;
  PackedTail first_tail;
  const auto fill = [&](Buffers buffers, uint16_t flags) {
    for (const Buffer& buffer : buffers) {
      const uint16_t linked = --left != 0 ? kDescNext : 0;
      const PackedTail tail = {
          .len = buffer.len,
          .id = free_id_,
          .flags = static_cast<uint16_t>(next_.available() | flags | linked)};
      SharedPackedDescriptor& desc = ring_[next_];
      desc.StoreAddr(buffer.addr.value());
      if (next_.slot() == first.slot()) {
        first_tail = tail;
      } else {
        desc.StoreTail(tail, std::memory_order_release);
      }
      next_.Advance(1, ring_.size);
    }
  };
  fill(readable, 0);
  fill(writable, kDescWrite);
  Expose(first, first_tail);  // 2.8.17: after all others
}

void PackedDriver::FillTable(Buffers readable, Buffers writable) {
  const size_t descriptors = readable.size() + writable.size();
  const size_t first = size_t{free_id_} * table_entries_;
  SharedPackedDescriptor* entry = &tables_[first];
  const auto fill = [&](Buffers buffers, uint16_t flags) {
    for (const Buffer& buffer : buffers) {
      entry++->Store({.addr = buffer.addr.value(),
                      .tail = {.len = buffer.len, .flags = flags}});
    }
  };
  fill(readable, 0);
  fill(writable, kDescWrite);
  ring_[next_].StoreAddr((tables_at_ + first * kDescriptorBytes).value());
  Expose(next_,
         {.len = static_cast<uint32_t>(descriptors * kDescriptorBytes),
          .id = free_id_,
          .flags = static_cast<uint16_t>(next_.available() | kDescIndirect)});
  next_.Advance(1, ring_.size);
}

std::optional<DriverTerms::Used> PackedDriver::CollectInOrder() {
  if (in_order_->batch.empty() && !LookForBatch()) return std::nullopt;
  Id& id = ids_[in_order_->oldest];
  in_order_->at.Advance(id.slots, ring_.size);
  // Ids go round, as do the slots.
  const uint32_t following = in_order_->oldest + 1u;
  id.next = static_cast<uint16_t>(following == ring_.size ? 0 : following);
  in_order_->oldest = id.next;
  id.chain = kNoChain;
  free_ += id.slots;
  ++collected_;
  return Used{.token = id.token,
              .len = in_order_->batch.TakeLen(id.writable_bytes)};
}

bool PackedDriver::LookForBatch() {
  if (!status_.ok()) return false;
  const PackedTail tail =
      ring_[in_order_->at].LoadTail(std::memory_order_acquire);
  if (AvailAndUsed(tail.flags) != in_order_->at.used()) return false;
  const uint32_t len = (tail.flags & kDescWrite) != 0 ? tail.len : 0;
  if (tail.id >= ring_.size || ids_[tail.id].chain >= published_ ||
      len > ids_[tail.id].writable_bytes) {
    RefuseUsed(tail);
    return false;
  }
  in_order_->batch = UsedBatch(
      static_cast<uint32_t>(ids_[tail.id].chain - collected_ + 1), len);
  return true;
}

std::optional<DriverTerms::Used> PackedDriver::RefuseUsed(
    const PackedTail& tail) {
  if (tail.id >= ring_.size) {
    Quarantine("2.8.22: used id beyond the queue size");
  } else if (ids_[tail.id].chain >= published_) {
    Quarantine("2.8.22: used id is of no chain that the device has");
  } else {
    Quarantine("2.8.4: used length is more than the chain can hold");
  }
  return std::nullopt;
}

void PackedDriver::Quarantine(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  next_used_.MatchNothing();  // so that Collect finds nothing
  free_ = 0;                  // and Add looks at status_
}

}  // namespace virtqueue
