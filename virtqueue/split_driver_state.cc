#include <algorithm>
#include <string>

#include "virtqueue/split_driver.h"

namespace virtqueue {

DriverState SplitDriver::Save() const {
  DriverState state = {
      .format = RingFormat::kSplit,
      .size = size(),
      .published = static_cast<uint16_t>(published_),
      .next_used = static_cast<uint16_t>(next_used_.count()),
      .unpublished = static_cast<uint16_t>(added_ - published_),
      .notifications_enabled = notification_.enabled(),
      .fault = std::string(status_.message())};
  for (const uint16_t head : HeadsInFlight()) {
    state.in_flight.push_back(SaveChain(slots_[head]));
  }
  if (in_order_ && !in_order_->batch.empty()) {
    state.batch = static_cast<uint16_t>(in_order_->batch.left());
    state.batch_len = in_order_->batch.last_len();
  }
  for (const Slot* slot = free_; slot != nullptr; slot = slot->next) {
    state.free.push_back(slot->number);
  }
  return state;
}

std::vector<uint16_t> SplitDriver::HeadsInFlight() const {
  std::vector<uint16_t> heads;
  for (uint32_t i = 0; i < ring_.desc.size(); ++i) {
    if (slots_[i].chain != kNoChain) heads.push_back(static_cast<uint16_t>(i));
  }
  std::sort(heads.begin(), heads.end(), [this](uint16_t a, uint16_t b) {
    return (slots_[a].chain & ~kLong) < (slots_[b].chain & ~kLong);
  });
  return heads;
}

DriverState::InFlight SplitDriver::SaveChain(const Slot& head) const {
  DriverState::InFlight chain = {.token = head.token,
                                 .writable_bytes = head.writable_bytes,
                                 .id = head.number,
                                 .slots = head.descriptors};
  const Slot* last = &head;
  for (uint32_t i = 1; i < chain.slots; ++i) {
    last = last->next;
    chain.linked.push_back(last->number);
  }
  return chain;
}

void SplitDriver::SetTo(const DriverState& state) {
  const uint64_t collected = state.next_used;
  used_ = collected;
  added_ = collected + state.in_flight.size();
  published_ = added_ - state.unpublished;
  next_used_ = RingCursor(ring_.used_ring, collected);
  used_stop_ = next_used_.at();
  next_ = RingCursor(ring_.avail_ring, added_);
  stop_ = next_.at();  // it has to look closer first
  uint64_t number = collected;
  for (const DriverState::InFlight& chain : state.in_flight) {
    SetChain(chain, number++);
  }
  notification_.SetEnabled(state.notifications_enabled);
  free_ = nullptr;
  for (auto i = state.free.rbegin(); i != state.free.rend(); ++i) {
    slots_[*i].next = free_;
    free_ = &slots_[*i];
  }
  if (in_order_) SetOrder(state);
  if (!state.fault.empty()) Quarantine(state.fault);
}

void SplitDriver::SetOrder(const DriverState& state) {
  in_order_ = {.batch = UsedBatch(state.batch, state.batch_len)};
  if (!state.free.empty()) {
    in_order_->oldest = state.free.front();
    in_order_->last_free = &slots_[state.free.back()];
  }
  if (!state.in_flight.empty()) {
    in_order_->oldest = state.in_flight.front().id;
  }
}

void SplitDriver::SetChain(const DriverState::InFlight& chain,
                           uint64_t number) {
  Slot& slot = slots_[chain.id];
  slot.token = chain.token;
  slot.chain = chain.slots == 1 ? number : number | kLong;
  slot.writable_bytes = chain.writable_bytes;
  slot.descriptors = chain.slots;
  extra_ += chain.slots - 1u;
  for (const uint16_t next : chain.linked) {
    slot.last->next = &slots_[next];
    slot.last = slot.last->next;
  }
}

}  // namespace virtqueue
