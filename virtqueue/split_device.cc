#include "virtqueue/split_device.h"

#include "virtqueue/split_walk.h"

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
    : next_(ring.avail_ring, 0),
      stop_(next_.at()),
      memory_(memory),
      next_used_(ring.used_ring, 0),
      ring_(ring),
      notification_(Notification::OfDevice(ring, options.event_idx)),
      indirect_(options.indirect) {
  if (options.in_order) order_.emplace(options.size);
  SetPushStop();
}

SplitDevice::SplitDevice(const GuestMemory& memory)
    : memory_(memory),
      status_(absl::FailedPreconditionError("2.6.1: the queue was reset")) {}

void SplitDevice::SetLife(uint32_t life, bool told_apart) {
  life_ = life;
  told_apart_ = told_apart;
  SetStop();
  SetPushStop();
}

void SplitDevice::PushAny(Chain& chain, uint32_t written) {
  const auto head = static_cast<uint16_t>(chain.head());
  if (order_) {
    order_->Complete(chain.turn_, {.id = head,
                                   .written = written,
                                   .whole = written == chain.writable_bytes()});
  } else {
    Use(head, written, /*chains=*/1);
  }
  chain.Complete();
}

void SplitDevice::Use(uint32_t head, uint32_t written, uint32_t chains) {
  if (status_.ok()) {
    next_used_.at()->id.Store(head);
    next_used_.at()->len.Store(written);
  }
  next_used_.Advance(ring_.used_ring, chains);
  SetPushStop();
}

// 2.7.9: an element lies where that of the first chain of its batch would.
bool SplitDevice::UseBatches() {
  if (!order_ || !status_.ok()) return false;
  while (const auto batch = order_->TakeBatch()) {
    Use(batch->id, batch->written, batch->chains);
  }
  return next_used_.count() != published_;
}

void SplitDevice::UnPop(Chain& chain) {
  put_back_.push_back(
      {.head = static_cast<uint16_t>(chain.head()), .turn = chain.turn()});
  chain.Complete();
  SetStop();
}

bool SplitDevice::Publish() {
  uint64_t pushed = next_used_.count();
  if (pushed == published_) {
    if (!UseBatches()) return false;
    pushed = next_used_.count();
  }
  if (!status_.ok()) return false;
  const auto old_idx = static_cast<uint16_t>(published_);
  const auto new_idx = static_cast<uint16_t>(pushed);
  published_ = pushed;
  ring_.used_idx->Store(new_idx, std::memory_order_seq_cst);
  return notification_.PeerMustBeNotified(new_idx, old_idx);
}

bool SplitDevice::EnableNotifications() {
  if (!has_ring()) return false;
  notification_.Enable(static_cast<uint16_t>(next_.count()));
  return HasAvailable();
}

void SplitDevice::DisableNotifications() {
  notification_.Disable(static_cast<uint16_t>(next_.count()));
}

bool SplitDevice::HasAvailable() const {
  if (!status_.ok()) return false;
  if (!put_back_.empty()) return true;
  return ring_.avail_idx->Load(std::memory_order_seq_cst) !=
         static_cast<uint16_t>(next_.count());
}

inline bool SplitDevice::LookForAvailable(uint64_t popped) {
  const uint16_t idx = ring_.avail_idx->Load(std::memory_order_acquire);
  const auto ahead = static_cast<uint16_t>(idx - published_);
  if (ahead > ring_.desc.size()) {
    Break("2.7.13: available idx is ahead by more than the queue size");
    return false;
  }
  if (published_ + ahead < popped) {
    Break("2.7.6.1: available idx went backwards");
    return false;
  }
  available_ = published_ + ahead;
  if (!order_ && !told_apart_) stop_ = next_.ShortSteps(available_ - popped);
  return available_ != popped;
}

SplitDevice::PopResult SplitDevice::PopAny(Chain& chain) {
  if (!status_.ok()) {
    return has_ring() ? PopResult::kBroken : PopResult::kEmpty;
  }
  if (!put_back_.empty()) return PopPutBack(chain);
  const uint64_t popped = next_.count();
  if (popped == available_) {
    if (!LookForAvailable(popped)) {
      return status_.ok() ? PopResult::kEmpty : PopResult::kBroken;
    }
  }
  if (quick_to_pop()) return QuickPop(chain);
  return PopHead(next_.at()->Load(), chain);
}

SplitDevice::PopResult SplitDevice::PopHead(uint32_t head, Chain& chain) {
  if (!ring_.desc.Has(head)) {
    Break("2.7.6: head is no descriptor of the table");
    return PopResult::kBroken;
  }
  return PopSeen(head, ring_.desc.At(head).Load(), chain);
}

SplitDevice::PopResult SplitDevice::PopSeen(uint32_t head, Descriptor desc,
                                            Chain& chain) {
  const PopResult result = Walk(head, desc, chain);
  if (result != PopResult::kChain) return result;
  chain.turn_ = order_ ? order_->Enter() : uint16_t{0};
  const bool stop_moves = next_.at() == stop_;
  next_.Step();
  if (stop_moves) SetStop();
  return result;
}

SplitDevice::PopResult SplitDevice::PopPutBack(Chain& chain) {
  const PutBack last = put_back_.back();
  const PopResult result =
      Walk(last.head, ring_.desc.At(last.head).Load(), chain);
  if (result != PopResult::kChain) return result;
  put_back_.pop_back();
  chain.turn_ = last.turn;
  SetStop();
  return result;
}

inline SplitDevice::PopResult SplitDevice::Walk(uint32_t head,
                                                const Descriptor& desc,
                                                Chain& chain) {
  const char* const fault = WalkSplit(
      ring_.desc, head, desc,
      {.indirect = indirect_, .in_order = order_.has_value()}, memory_, chain);
  if (fault != nullptr) {
    Break(fault);
    return PopResult::kBroken;
  }
  chain.SetUnusual(head, /*packed=*/false, life_);
  return PopResult::kChain;
}

void SplitDevice::Break(absl::string_view fault) {
  status_ = absl::DataLossError(fault);
  SetStop();
  SetPushStop();
}

void SplitDevice::SetStop() {
  stop_ = next_.ShortSteps(LooksCloser() ? 0 : available_ - next_.count());
}

void SplitDevice::SetPushStop() {
  const bool closer = !status_.ok() || told_apart_ || order_;
  push_stop_ = next_used_.ShortSteps(closer ? 0 : size());
}

}  // namespace virtqueue
