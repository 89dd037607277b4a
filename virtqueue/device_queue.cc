#include "virtqueue/device_queue.h"

#include <utility>
#include <variant>

namespace virtqueue {

absl::StatusOr<DeviceQueue> DeviceQueue::Create(const GuestMemory& memory,
                                                const RingAddrs& addrs,
                                                const Options& options) {
  if (const auto* packed = std::get_if<PackedRingAddrs>(&addrs)) {
    auto half = PackedDevice::Create(memory, *packed, options);
    if (!half.ok()) return half.status();
    return DeviceQueue(memory, *std::move(half));
  }
  auto half = SplitDevice::Create(memory, *std::get_if<SplitRingAddrs>(&addrs),
                                  options);
  if (!half.ok()) return half.status();
  return DeviceQueue(*std::move(half));
}

}  // namespace virtqueue
