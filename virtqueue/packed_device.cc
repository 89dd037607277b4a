#include "virtqueue/packed_device.h"

#include <utility>

#include "virtqueue/packed_walker.h"

namespace virtqueue {

absl::StatusOr<PackedDevice> PackedDevice::Create(const GuestMemory& memory,
                                                  const PackedRingAddrs& addrs,
                                                  const Options& options) {
  const absl::StatusOr<PackedRing> ring =
      PackedRing::Map(memory, addrs, options.size);
  if (!ring.ok()) return ring.status();
  return PackedDevice(memory, *ring, options);
}

PackedDevice::PackedDevice(const GuestMemory& memory, const PackedRing& ring,
                           const Options& options)
    : ring_(ring),
      notification_(PackedNotification::OfDevice(ring, options.event_idx)),
      memory_(memory),
      indirect_(options.indirect),
      limit_(ring.size) {
  if (options.in_order) order_.emplace(options.size);
  SetLimit();
}

void PackedDevice::UnPop(Chain& chain) {
  put_back_.push_back(std::move(chain));
  --in_flight_;
  SetLimit();
}

bool PackedDevice::Publish() {
  if (pushed_ == published_ && !UseBatches()) return false;
  if (!status_.ok()) return false;
  const auto moved = static_cast<uint32_t>(pushed_ - published_);
  ring_[first_used_].StoreTail(held_, std::memory_order_seq_cst);
  published_ = pushed_;
  first_used_ = next_used_;
  SetLimit();
  return notification_.PeerMustBeNotified(next_used_, moved);
}

bool PackedDevice::EnableNotifications() {
  notification_.Enable(next_);
  return HasAvailable();
}

bool PackedDevice::HasAvailable() const {
  if (!status_.ok()) return false;
  if (!put_back_.empty()) return true;
  const PackedTail tail = ring_[next_].LoadTail(std::memory_order_seq_cst);
  return AvailAndUsed(tail.flags) == next_.available();
}

DeviceTerms::PopResult PackedDevice::PopAny(Chain& chain) {
  if (!status_.ok()) return PopResult::kBroken;
  if (!put_back_.empty()) return PopPutBack(chain);
  const PackedTail first = ring_[next_].LoadTail(std::memory_order_acquire);
  if (AvailAndUsed(first.flags) != next_.available()) return PopResult::kEmpty;
  const auto room = static_cast<uint32_t>(published_ + ring_.size - popped_);
  PackedWalker walker(ring_, memory_, indirect_, chain);
  const char* const fault =
      room == 0 ? "2.8.16: descriptor changed before it was used"
                : walker.Walk(next_, first, room);
  if (fault != nullptr) {
    Break(fault);
    return PopResult::kBroken;
  }
  chain.head_ = ChainTag() | walker.id();
  if (order_) chain.turn_ = order_->Enter();
  next_.Advance(chain.slots_, ring_.size);
  popped_ += chain.slots_;
  ++in_flight_;
  SetLimit();
  return PopResult::kChain;
}

DeviceTerms::PopResult PackedDevice::PopPutBack(Chain& chain) {
  chain = std::move(put_back_.back());
  put_back_.pop_back();
  ++in_flight_;
  SetLimit();
  return PopResult::kChain;
}

void PackedDevice::PushInOrder(Chain& chain, uint32_t written) {
  VSOCK_CHECK(written <= chain.writable_bytes());
  order_->Complete(chain.turn_, {.id = static_cast<uint16_t>(chain.head_),
                                 .slots = static_cast<uint16_t>(chain.slots_),
                                 .written = written,
                                 .whole = written == chain.writable_bytes()});
  --in_flight_;
  chain.head_ = Chain::kNoHead;
}

// 2.8.8: a descriptor lies where that of the first chain of its batch would.
bool PackedDevice::UseBatches() {
  if (!order_ || !status_.ok()) return false;
  while (const auto batch = order_->TakeBatch()) {
    Use(batch->slots, {.len = batch->written, .id = batch->id});
  }
  return pushed_ != published_;
}

void PackedDevice::Break(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  SetLimit();
}

void PackedDevice::SetLimit() {
  const bool closer = !status_.ok() || !put_back_.empty() || order_;
  limit_ = closer ? popped_ : published_ + ring_.size;
}

}  // namespace virtqueue
