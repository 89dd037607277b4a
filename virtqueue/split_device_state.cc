#include "virtqueue/split_device.h"

#include <string>

namespace virtqueue {

DeviceState SplitDevice::Save() const {
  DeviceState state = {.format = RingFormat::kSplit,
                       .size = size(),
                       .next_available = static_cast<uint16_t>(popped_),
                       .next_used = static_cast<uint16_t>(pushed_),
                       .published = static_cast<uint16_t>(published_),
                       .notifications_enabled = notification_.enabled(),
                       .fault = std::string(status_.message())};
  for (const uint16_t head : put_back_) state.put_back.push_back({.id = head});
  return state;
}

absl::Status SplitDevice::SetTo(const DeviceState& state) {
  published_ = state.published;
  pushed_ =
      published_ + static_cast<uint16_t>(state.next_used - state.published);
  popped_ =
      pushed_ + static_cast<uint16_t>(state.next_available - state.next_used);
  available_ = popped_;
  notification_.SetEnabled(state.notifications_enabled);
  for (const ChainState& chain : state.put_back) put_back_.push_back(chain.id);
  if (!state.fault.empty()) Break(state.fault);
  return absl::OkStatus();
}

}  // namespace virtqueue
