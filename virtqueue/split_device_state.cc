#include <string>

#include "virtqueue/split_device.h"

namespace virtqueue {

DeviceState SplitDevice::Save() const {
  DeviceState state = {.format = RingFormat::kSplit,
                       .size = size(),
                       .next_available = static_cast<uint16_t>(next_.count()),
                       .next_used = static_cast<uint16_t>(next_used_.count()),
                       .published = static_cast<uint16_t>(published_),
                       .notifications_enabled = notification_.enabled(),
                       .fault = std::string(status_.message())};
  for (const PutBack& chain : put_back_) {
    state.put_back.push_back({.id = chain.head, .turn = chain.turn});
  }
  if (order_) {
    state.completed = order_->Save();
    state.oldest_turn = order_->oldest();
  }
  return state;
}

absl::Status SplitDevice::SetTo(const DeviceState& state) {
  published_ = state.published;
  const uint64_t pushed =
      published_ + static_cast<uint16_t>(state.next_used - state.published);
  const uint64_t popped =
      pushed + static_cast<uint16_t>(state.next_available - state.next_used);
  next_used_ = RingCursor(ring_.used_ring, pushed);
  next_ = RingCursor(ring_.avail_ring, popped);
  available_ = popped;
  notification_.SetEnabled(state.notifications_enabled);
  for (const ChainState& chain : state.put_back) {
    put_back_.push_back({.head = chain.id, .turn = chain.turn});
  }
  if (order_) {
    order_->SetTo(state.oldest_turn, static_cast<uint16_t>(popped - pushed),
                  state.completed);
  }
  SetStop();
  SetPushStop();
  if (!state.fault.empty()) Break(state.fault);
  return absl::OkStatus();
}

}  // namespace virtqueue
