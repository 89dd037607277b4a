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
  if (pushed_ != published_) state.held = held_;
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
  next_ = PackedPosition::Of(state.next_available);
  next_used_ = PackedPosition::Of(state.next_used);
  first_used_ = PackedPosition::Of(state.published);
  pushed_ = first_used_.DistanceTo(next_used_, ring_.size);
  popped_ = first_used_.DistanceTo(next_, ring_.size);
  held_ = state.held.value_or(PackedTail{});
  in_flight_ = static_cast<uint32_t>(state.in_flight.size());
  notification_.SetEnabled(state.notifications_enabled);
  for (const ChainState& saved : state.put_back) {
    Chain& chain = put_back_.emplace_back();
    const absl::Status status = chain.SetTo(saved, memory_, size());
    if (!status.ok()) return status;
    chain.head_ = ChainTag() | saved.id;
  }
  if (order_) {
    order_->SetTo(
        state.oldest_turn,
        static_cast<uint16_t>(state.put_back.size() + state.in_flight.size() +
                              state.completed.size()),
        state.completed);
  }
  if (!state.fault.empty()) status_ = absl::DataLossError(state.fault);
  SetLimit();
  return absl::OkStatus();
}

}  // namespace virtqueue
