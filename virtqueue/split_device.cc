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
      indirect_(options.indirect) {}

SplitDevice::SplitDevice(const GuestMemory& memory)
    : memory_(memory),
      status_(absl::FailedPreconditionError("2.6.1: the queue was reset")) {}

void SplitDevice::UnPop(Chain& chain) {
  put_back_.push_back(static_cast<uint16_t>(chain.head()));
  chain.head_ = Chain::kNoHead;
  available_ = popped_;  // so that Pop looks at what was put back
}

bool SplitDevice::Publish() {
  VSOCK_CHECK(pushed_ + put_back_.size() <= popped_);
  if (pushed_ == published_ || !status_.ok()) return false;
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

// False if there is no new entry to pop, or something else goes first.
bool SplitDevice::LookForAvailable() {
  if (!status_.ok() || !put_back_.empty()) return false;
  const uint16_t idx = ring_.avail_idx->Load(std::memory_order_acquire);
  const auto ahead = static_cast<uint16_t>(idx - published_);
  if (ahead > ring_.desc.size()) {
    Break("2.7.13: available idx is ahead by more than the queue size");
    return false;
  }
  if (published_ + ahead < popped_) {
    Break("2.7.6.1: available idx went backwards");
    return false;
  }
  available_ = published_ + ahead;
  return available_ != popped_;
}

SplitDevice::PopResult SplitDevice::PopPutBack(Chain& chain) {
  if (!status_.ok()) {
    return has_ring() ? PopResult::kBroken : PopResult::kEmpty;
  }
  if (put_back_.empty()) return PopResult::kEmpty;
  const PopResult result = Walk(put_back_.back(), chain);
  if (result == PopResult::kChain) put_back_.pop_back();
  return result;
}

SplitDevice::PopResult SplitDevice::PopNext(Chain& chain) {
  const PopResult result = Walk(ring_.avail_ring[popped_].Load(), chain);
  if (result == PopResult::kChain) ++popped_;
  return result;
}

SplitDevice::PopResult SplitDevice::Walk(uint32_t head, Chain& chain) {
  ChainWalker walker(ring_.desc, memory_, indirect_, chain);
  const char* const fault = walker.Walk(head);
  if (fault != nullptr) {
    Break(fault);
    return PopResult::kBroken;
  }
  chain.head_ = tag_ | head;
  return PopResult::kChain;
}

void SplitDevice::Break(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  available_ = popped_;  // so that Pop looks at status_
}

}  // namespace virtqueue
