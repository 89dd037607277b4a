#include <algorithm>
#include <string>

#include "virtqueue/split_driver.h"

namespace virtqueue {

DriverState SplitDriver::Save() const {
  DriverState state = {
      .format = RingFormat::kSplit,
      .size = size(),
      .published = static_cast<uint16_t>(published_),
      .next_used = static_cast<uint16_t>(collected_),
      .unpublished = static_cast<uint16_t>(added_ - published_),
      .notifications_enabled = notification_.enabled(),
      .fault = std::string(status_.message())};
  for (const uint16_t head : HeadsInFlight()) {
    state.in_flight.push_back(SaveChain(head));
  }
  if (in_order_ && !in_order_->batch.empty()) {
    state.batch = static_cast<uint16_t>(in_order_->batch.left());
    state.batch_len = in_order_->batch.last_len();
  }
  for (uint16_t i = free_head_; i != kNoSlot; i = slots_[i].next) {
    state.free.push_back(i);
  }
  return state;
}

std::vector<uint16_t> SplitDriver::HeadsInFlight() const {
  std::vector<uint16_t> heads;
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].chain != kNoChain) heads.push_back(static_cast<uint16_t>(i));
  }
  std::sort(heads.begin(), heads.end(), [this](uint16_t a, uint16_t b) {
    return (slots_[a].chain & ~kLong) < (slots_[b].chain & ~kLong);
  });
  return heads;
}

DriverState::InFlight SplitDriver::SaveChain(uint16_t head) const {
  const Slot& slot = slots_[head];
  const bool is_long = (slot.chain & kLong) != 0;
  DriverState::InFlight chain = {
      .token = slot.token,
      .writable_bytes = slot.writable_bytes,
      .id = head,
      .slots = is_long ? slot.descriptors : uint16_t{1}};
  uint16_t last = head;
  for (uint32_t i = 1; i < chain.slots; ++i) {
    last = slots_[last].next;
    chain.linked.push_back(last);
  }
  return chain;
}

void SplitDriver::SetTo(const DriverState& state) {
  collected_ = state.next_used;
  used_ = collected_;
  added_ = collected_ + state.in_flight.size();
  published_ = added_ - state.unpublished;
  uint64_t number = collected_;
  for (const DriverState::InFlight& chain : state.in_flight) {
    SetChain(chain, number++);
  }
  notification_.SetEnabled(state.notifications_enabled);
  free_head_ = kNoSlot;
  for (auto i = state.free.rbegin(); i != state.free.rend(); ++i) {
    slots_[*i].next = free_head_;
    free_head_ = *i;
  }
  if (in_order_) {
    const bool none = state.in_flight.empty();
    in_order_ = {.batch = UsedBatch(state.batch, state.batch_len),
                 .oldest = none ? free_head_ : state.in_flight.front().id,
                 .last_free = state.free.empty() ? kNoSlot : state.free.back()};
  }
  if (!state.fault.empty()) Quarantine(state.fault);
}

void SplitDriver::SetChain(const DriverState::InFlight& chain,
                           uint64_t number) {
  Slot& slot = slots_[chain.id];
  slot.token = chain.token;
  slot.chain = chain.slots == 1 ? number : number | kLong;
  slot.writable_bytes = chain.writable_bytes;
  slot.descriptors = chain.slots;
  extra_ += chain.slots - 1u;
  uint16_t last = chain.id;
  for (const uint16_t next : chain.linked) {
    slots_[last].next = next;
    last = next;
  }
}

}  // namespace virtqueue
