#include "virtqueue/packed_device.h"

#include <utility>

#include "virtqueue/check.h"
#include "virtqueue/packed_walk.h"

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
    : next_(PackedCursor::Available(ring, PackedPosition())),
      memory_(memory),
      next_used_(PackedCursor::Used(ring, PackedPosition())),
      first_used_(next_used_),
      indirect_(options.indirect),
      ring_(ring),
      notification_(PackedNotification::OfDevice(ring, options.event_idx)) {
  if (options.in_order) order_.emplace(options.size);
  SetStop();
  SetPushStop();
}

void PackedDevice::SetLife(uint32_t life, bool told_apart) {
  life_ = life;
  told_apart_ = told_apart;
  SetStop();
  SetPushStop();
}

void PackedDevice::PushAny(Chain& chain, uint32_t written) {
  const uint32_t id = chain.head();
  const uint32_t slots = chain.slots();
  const bool usual = chain.usual();
  if (order_) {
    VSOCK_CHECK(slots <= ring_.size);
    order_->Complete(chain.turn_, {.id = static_cast<uint16_t>(id),
                                   .slots = static_cast<uint16_t>(slots),
                                   .written = written,
                                   .whole = written == chain.writable_bytes()});
    return chain.Complete();
  }
  chain.Complete();
  if (usual) return Use(/*slots=*/1, written, id);
  VSOCK_CHECK(slots <= ring_.size);
  extra_ -= slots - 1;
  Use(slots, written, id);
}

inline void PackedDevice::Use(uint32_t slots, uint32_t written, uint32_t id) {
  const uint64_t tail = written | uint64_t{id} << 32 | next_used_.marks() |
                        (written != 0 ? kWriteMark : 0);
  if (next_used_ == first_used_) {
    held_ = tail;
    push_stop_ = push_end_;
  } else if (status_.ok()) {
    next_used_.at()->StoreWord(tail, std::memory_order_release);
  }
  const bool looks_closer = next_used_.at() == push_end_;
  if (next_used_.Advance(slots) || looks_closer) SetPushStop();
}

// 2.8.8: a descriptor lies where that of the first chain of its batch would.
bool PackedDevice::UseBatches() {
  if (!order_ || !status_.ok()) return false;
  while (const auto batch = order_->TakeBatch()) {
    Use(batch->slots, batch->written, batch->id);
    extra_ -= batch->slots - batch->chains;
  }
  return !(next_used_ == first_used_);
}

void PackedDevice::UnPop(Chain& chain) {
  put_back_.push_back(std::move(chain));
  SetStop();
}

bool PackedDevice::Publish() {
  if (next_used_ == first_used_ && !UseBatches()) return false;
  if (!status_.ok()) return false;
  push_stop_ = next_used_.at();  // the first one of the next batch is held
  first_used_.at()->StoreWord(held_, std::memory_order_seq_cst);
  const bool notify = notification_.PeerMustBeNotified(first_used_, next_used_);
  first_used_ = next_used_;
  return notify;
}

bool PackedDevice::EnableNotifications() {
  notification_.Enable(next_.off_wrap());
  return HasAvailable();
}

bool PackedDevice::HasAvailable() const {
  if (!status_.ok()) return false;
  if (!put_back_.empty()) return true;
  return next_.Matches(next_.at()->LoadWord(std::memory_order_seq_cst));
}

DeviceTerms::PopResult PackedDevice::PopAny(Chain& chain) {
  if (!status_.ok()) return PopResult::kBroken;
  if (!put_back_.empty()) return PopPutBack(chain);
  if (!order_ && !told_apart_ && room() != 0) {
    return PopNext</*kShortStep=*/false>(chain);
  }
  return PopSeen(chain, next_.at()->LoadWord(std::memory_order_acquire));
}

DeviceTerms::PopResult PackedDevice::PopSeen(Chain& chain, uint64_t tail) {
  if (!next_.Matches(tail)) return PopResult::kEmpty;
  return PopList(chain, next_.at()->LoadAddr(), tail);
}

DeviceTerms::PopResult PackedDevice::PopList(Chain& chain, uint64_t addr,
                                             uint64_t tail) {
  const uint32_t most = room();
  if (most == 0) {
    Break("2.8.16: descriptor changed before it was used");
    return PopResult::kBroken;
  }
  const PackedWalk walk =
      WalkPacked(next_, SharedPackedDescriptor::Decode(addr, tail), most,
                 ring_.size, indirect_, memory_, chain);
  if (walk.fault != nullptr) {
    Break(walk.fault);
    return PopResult::kBroken;
  }
  chain.slots_ = walk.slots;
  chain.SetUnusual(walk.id, /*packed=*/true, life_);
  chain.turn_ = order_ ? order_->Enter() : uint16_t{0};
  extra_ += walk.slots - 1;
  next_.Advance(walk.slots);
  stop_ = next_.ShortSteps(order_ || told_apart_ ? 0 : most - walk.slots);
  return PopResult::kChain;
}

DeviceTerms::PopResult PackedDevice::PopPutBack(Chain& chain) {
  chain = std::move(put_back_.back());
  put_back_.pop_back();
  SetStop();
  return PopResult::kChain;
}

void PackedDevice::Break(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  SetStop();
  SetPushStop();
}

void PackedDevice::SetStop() {
  const bool closer =
      !status_.ok() || !put_back_.empty() || order_ || told_apart_;
  stop_ = next_.ShortSteps(closer ? 0 : room());
}

void PackedDevice::SetPushStop() {
  const bool closer = !status_.ok() || told_apart_;
  push_end_ = next_used_.ShortSteps(closer ? 0 : ring_.size);
  push_stop_ = next_used_ == first_used_ ? next_used_.at() : push_end_;
}

}  // namespace virtqueue
