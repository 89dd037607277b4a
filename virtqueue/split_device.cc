#include "virtqueue/split_device.h"

#include "virtqueue/chain_walker.h"

namespace virtqueue {

absl::StatusOr<SplitDevice> SplitDevice::Create(const GuestMemory& memory,
                                                const SplitRingAddrs& addrs,
                                                const Options& options) {
  const absl::StatusOr<SplitRing> ring =
      SplitRing::Map(memory, addrs, options.size);
  if (!ring.ok()) return ring.status();
  return SplitDevice(memory, *ring, options);
}

SplitDevice::SplitDevice(const GuestMemory& memory, const SplitRing& ring,
                         const Options& options)
    : ring_(ring),
      notification_(Notification::OfDevice(ring, options.event_idx)),
      memory_(memory),
      indirect_(options.indirect) {
  if (options.in_order) order_.emplace(options.size);
}

SplitDevice::SplitDevice(const GuestMemory& memory)
    : memory_(memory),
      status_(absl::FailedPreconditionError("2.6.1: the queue was reset")) {}

void SplitDevice::UnPop(Chain& chain) {
  put_back_.push_back(
      {.head = static_cast<uint16_t>(chain.head()), .turn = chain.turn_});
  chain.head_ = Chain::kNoHead;
  available_ = popped_;  // so that Pop looks at what was put back
}

bool SplitDevice::Publish() {
  VSOCK_CHECK(pushed_ + put_back_.size() <= popped_);
  if (pushed_ == published_ && !UseBatches()) return false;
  if (!status_.ok()) return false;
  const auto old_idx = static_cast<uint16_t>(published_);
  const auto new_idx = static_cast<uint16_t>(pushed_);
  published_ = pushed_;
  ring_.used_idx->Store(new_idx, std::memory_order_seq_cst);
  return notification_.PeerMustBeNotified(new_idx, old_idx);
}

bool SplitDevice::EnableNotifications() {
  if (!has_ring()) return false;
  notification_.Enable(static_cast<uint16_t>(popped_));
  return HasAvailable();
}

void SplitDevice::DisableNotifications() {
  notification_.Disable(static_cast<uint16_t>(popped_));
}

bool SplitDevice::HasAvailable() const {
  if (!status_.ok()) return false;
  if (!put_back_.empty()) return true;
  return ring_.avail_idx->Load(std::memory_order_seq_cst) !=
         static_cast<uint16_t>(popped_);
}

// False if there is no new entry to pop, or PopOther has to.
bool SplitDevice::LookForAvailable() {
  if (!status_.ok() || !put_back_.empty() || order_) return false;
  available_ = ReadAvailable();
  return available_ != popped_;
}

uint64_t SplitDevice::ReadAvailable() {
  const uint16_t idx = ring_.avail_idx->Load(std::memory_order_acquire);
  const auto ahead = static_cast<uint16_t>(idx - published_);
  if (ahead > ring_.desc.size()) {
    Break("2.7.13: available idx is ahead by more than the queue size");
    return popped_;
  }
  if (published_ + ahead < popped_) {
    Break("2.7.6.1: available idx went backwards");
    return popped_;
  }
  return published_ + ahead;
}

SplitDevice::PopResult SplitDevice::PopOther(Chain& chain) {
  if (!status_.ok()) {
    return has_ring() ? PopResult::kBroken : PopResult::kEmpty;
  }
  if (!put_back_.empty()) return PopPutBack(chain);
  return order_ ? PopInOrder(chain) : PopResult::kEmpty;
}

SplitDevice::PopResult SplitDevice::PopPutBack(Chain& chain) {
  const PutBack last = put_back_.back();
  const PopResult result = Walk(last.head, chain);
  if (result != PopResult::kChain) return result;
  put_back_.pop_back();
  chain.turn_ = last.turn;
  return result;
}

SplitDevice::PopResult SplitDevice::PopInOrder(Chain& chain) {
  if (ReadAvailable() == popped_) {
    return status_.ok() ? PopResult::kEmpty : PopResult::kBroken;
  }
  const PopResult result = PopNext(chain);
  available_ = popped_;
  if (result == PopResult::kChain) chain.turn_ = order_->Enter();
  return result;
}

void SplitDevice::PushInOrder(Chain& chain, uint32_t written) {
  VSOCK_CHECK(written <= chain.writable_bytes());
  order_->Complete(chain.turn_, {.id = static_cast<uint16_t>(chain.head_),
                                 .written = written,
                                 .whole = written == chain.writable_bytes()});
  chain.head_ = Chain::kNoHead;
}

// 2.7.9: an element lies where that of the first chain of its batch would.
bool SplitDevice::UseBatches() {
  if (!order_ || !status_.ok()) return false;
  while (const auto batch = order_->TakeBatch()) {
    SharedUsedElem& elem = ring_.used_ring[pushed_];
    elem.id.Store(batch->id);
    elem.len.Store(batch->written);
    pushed_ += batch->chains;
  }
  return pushed_ != published_;
}

SplitDevice::PopResult SplitDevice::PopNext(Chain& chain) {
  const PopResult result = Walk(ring_.avail_ring[popped_].Load(), chain);
  if (result == PopResult::kChain) ++popped_;
  return result;
}

SplitDevice::PopResult SplitDevice::Walk(uint32_t head, Chain& chain) {
  ChainWalker walker(ring_.desc, memory_,
                     {.indirect = indirect_, .in_order = order_.has_value()},
                     chain);
  const char* const fault = walker.Walk(head);
  if (fault != nullptr) {
    Break(fault);
    return PopResult::kBroken;
  }
  chain.head_ = ChainTag() | head;
  return PopResult::kChain;
}

void SplitDevice::Break(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  available_ = popped_;  // so that Pop looks at status_
}

}  // namespace virtqueue
