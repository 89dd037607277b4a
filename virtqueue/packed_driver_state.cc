#include <algorithm>
#include <string>

#include "virtqueue/packed_driver.h"

namespace virtqueue {

DriverState PackedDriver::Save() const {
  DriverState state = {
      .format = RingFormat::kPacked,
      .size = size(),
      .published = first_added_.off_wrap(),
      .next_used = next_used_.off_wrap(),
      .unpublished = static_cast<uint16_t>(added_ - published_),
      .notifications_enabled = notification_.enabled(),
      .fault = std::string(status_.message())};
  if (added_ != published_) state.held = PackedTail::Decode(held_);
  for (const uint16_t number : IdsInFlight()) {
    const Id& id = ids_[number];
    state.in_flight.push_back({.token = id.token,
                               .writable_bytes = id.writable_bytes,
                               .id = number,
                               .slots = static_cast<uint16_t>(id.slots)});
  }
  if (in_order_ && !in_order_->batch.empty()) {
    state.batch = static_cast<uint16_t>(in_order_->batch.left());
    state.batch_len = in_order_->batch.last_len();
  }
  if (!status_.ok()) return state;
  state.free = FreeIds();
  return state;
}

std::vector<uint16_t> PackedDriver::FreeIds() const {
  std::vector<uint16_t> free;
  for (Id** id = free_end_; !in_order_ && id != &free_ids_[0]; --id) {
    free.push_back(NumberOf(*id[-1]));
  }
  for (uint32_t i = in_flight(); in_order_ && i < ring_.size; ++i) {
    free.push_back(
        static_cast<uint16_t>((NextInOrder() + free.size()) % ring_.size));
  }
  return free;
}

// The id that is taken next if ids go round.
uint16_t PackedDriver::NextInOrder() const { return NumberOf(free_id()); }

std::vector<uint16_t> PackedDriver::IdsInFlight() const {
  std::vector<uint16_t> ids;
  for (uint32_t i = 0; i < ring_.size; ++i) {
    if (ids_[i].chain != kNoChain) ids.push_back(static_cast<uint16_t>(i));
  }
  std::sort(ids.begin(), ids.end(), [this](uint16_t a, uint16_t b) {
    return (ids_[a].chain & ~kLong) < (ids_[b].chain & ~kLong);
  });
  return ids;
}

void PackedDriver::SetTo(const DriverState& state) {
  added_ = state.in_flight.size();
  published_ = added_ - state.unpublished;
  next_used_ = PackedCursor::Used(ring_, PackedPosition::Of(state.next_used));
  first_added_ =
      PackedCursor::Available(ring_, PackedPosition::Of(state.published));
  next_ = first_added_;
  for (uint64_t i = 0; i < added_; ++i) {
    const DriverState::InFlight& chain = state.in_flight[i];
    Id& id = ids_[chain.id];
    id.token = chain.token;
    id.chain = chain.slots == 1 ? i : i | kLong;
    id.writable_bytes = chain.writable_bytes;
    id.slots = chain.slots;
    extra_ += chain.slots - 1u;
    if (i >= published_) next_.Advance(chain.slots);
  }
  if (state.held.has_value()) held_ = state.held->word();
  notification_.SetEnabled(state.notifications_enabled);
  if (in_order_) {
    SetOrder(state);
  } else {
    SetFree(state);
  }
  room_end_ = stop_ = next_.at();  // it has to look closer first
  SetUsedStop();
  if (!state.fault.empty()) Quarantine(state.fault);
}

void PackedDriver::SetFree(const DriverState& state) {
  free_end_ = &free_ids_[0];
  for (auto i = state.free.rbegin(); i != state.free.rend(); ++i) {
    *free_end_++ = &ids_[*i];
  }
}

// Ids go round: who finds none free finds the oldest, once that is.
void PackedDriver::SetOrder(const DriverState& state) {
  in_order_ = {.batch = UsedBatch(state.batch, state.batch_len)};
  if (!state.free.empty()) in_order_->oldest = state.free.front();
  const uint16_t next = in_order_->oldest;
  if (!state.in_flight.empty()) {
    in_order_->oldest = state.in_flight.front().id;
  }
  const uint16_t top = state.free.empty() ? in_order_->oldest : next;
  free_end_ = &free_ids_[0] + (ring_.size - top);
}

}  // namespace virtqueue
