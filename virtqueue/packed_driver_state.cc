#include <algorithm>
#include <string>

#include "virtqueue/packed_driver.h"

namespace virtqueue {

DriverState PackedDriver::Save() const {
  DriverState state = {
      .format = RingFormat::kPacked,
      .size = size(),
      .published = first_added_.off_wrap(),
      .next_used = AtUsed().off_wrap(),
      .unpublished = static_cast<uint16_t>(added_ - published_),
      .notifications_enabled = notification_.enabled(),
      .fault = std::string(status_.message())};
  if (added_ != published_) state.held = held_;
  for (const uint16_t number : IdsInFlight()) {
    const Id& id = ids_[number];
    state.in_flight.push_back({.token = id.token,
                               .writable_bytes = id.writable_bytes,
                               .id = number,
                               .slots = id.slots});
  }
  if (in_order_ && !in_order_->batch.empty()) {
    state.batch = static_cast<uint16_t>(in_order_->batch.left());
    state.batch_len = in_order_->batch.last_len();
  }
  if (!status_.ok()) return state;
  uint16_t number = free_id_;
  for (size_t i = ids_.size() - in_flight(); i > 0; --i) {
    state.free.push_back(number);
    number = ids_[number].next;
  }
  return state;
}

std::vector<uint16_t> PackedDriver::IdsInFlight() const {
  std::vector<uint16_t> ids;
  for (uint32_t i = 0; i < ids_.size(); ++i) {
    if (ids_[i].chain != kNoChain) ids.push_back(static_cast<uint16_t>(i));
  }
  std::sort(ids.begin(), ids.end(), [this](uint16_t a, uint16_t b) {
    return ids_[a].chain < ids_[b].chain;
  });
  return ids;
}

void PackedDriver::SetTo(const DriverState& state) {
  added_ = state.in_flight.size();
  published_ = added_ - state.unpublished;
  next_used_ = PackedPosition::Of(state.next_used);
  first_added_ = PackedPosition::Of(state.published);
  next_ = first_added_;
  for (uint64_t i = 0; i < added_; ++i) {
    const DriverState::InFlight& chain = state.in_flight[i];
    ids_[chain.id] = {.token = chain.token,
                      .chain = i,
                      .writable_bytes = chain.writable_bytes,
                      .slots = chain.slots};
    free_ -= chain.slots;
    if (i >= published_) next_.Advance(chain.slots, ring_.size);
  }
  held_ = state.held.value_or(PackedTail{});
  notification_.SetEnabled(state.notifications_enabled);
  for (auto i = state.free.rbegin(); i != state.free.rend(); ++i) {
    ids_[*i].next = free_id_;
    free_id_ = *i;
  }
  if (in_order_) SetOrder(state);
  if (!state.fault.empty()) Quarantine(state.fault);
}

// Ids go round: who finds none free finds the oldest, once that is.
void PackedDriver::SetOrder(const DriverState& state) {
  for (uint32_t i = 0; i < ring_.size; ++i) {
    ids_[i].next = static_cast<uint16_t>((i + 1) % ring_.size);
  }
  const uint16_t oldest =
      state.in_flight.empty() ? free_id_ : state.in_flight.front().id;
  if (state.free.empty()) free_id_ = oldest;
  in_order_ = {.batch = UsedBatch(state.batch, state.batch_len),
               .oldest = oldest,
               .at = next_used_};
  next_used_.MatchNothing();  // so that Collect goes by in_order_
}

}  // namespace virtqueue
