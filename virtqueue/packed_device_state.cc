#include <string>

#include "virtqueue/packed_device.h"

namespace virtqueue {

DeviceState PackedDevice::Save() const {
  DeviceState state = {.format = RingFormat::kPacked,
                       .size = size(),
                       .next_available = next_.off_wrap(),
                       .next_used = next_used_.off_wrap(),
                       .published = first_used_.off_wrap(),
                       .notifications_enabled = notification_.enabled(),
                       .fault = std::string(status_.message())};
  if (!(next_used_ == first_used_)) state.held = PackedTail::Decode(held_);
  for (const Chain& chain : put_back_) {
    state.put_back.push_back(chain.Save(memory_));
  }
  if (order_) {
    state.completed = order_->Save();
    state.oldest_turn = order_->oldest();
  }
  return state;
}

absl::Status PackedDevice::SetTo(const DeviceState& state) {
  next_ =
      PackedCursor::Available(ring_, PackedPosition::Of(state.next_available));
  next_used_ = PackedCursor::Used(ring_, PackedPosition::Of(state.next_used));
  first_used_ = PackedCursor::Used(ring_, PackedPosition::Of(state.published));
  if (state.held.has_value()) held_ = state.held->word();
  notification_.SetEnabled(state.notifications_enabled);
  for (const ChainState& saved : state.put_back) {
    Chain& chain = put_back_.emplace_back();
    const absl::Status status = chain.SetTo(saved, memory_, size());
    if (!status.ok()) return status;
    chain.SetUnusual(saved.id, /*packed=*/true, life_);
  }
  if (order_) {
    order_->SetTo(
        state.oldest_turn,
        static_cast<uint16_t>(state.put_back.size() + state.in_flight.size() +
                              state.completed.size()),
        state.completed);
  }
  extra_ =
      next_used_.DistanceTo(next_) -
      static_cast<uint32_t>(state.put_back.size() + state.in_flight.size() +
                            state.completed.size());
  if (!state.fault.empty()) status_ = absl::DataLossError(state.fault);
  SetStop();
  SetPushStop();
  return absl::OkStatus();
}

}  // namespace virtqueue
