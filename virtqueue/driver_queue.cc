#include "virtqueue/driver_queue.h"

#include <utility>
#include <variant>

namespace virtqueue {

absl::StatusOr<DriverQueue> DriverQueue::Create(const GuestMemory& memory,
                                                const RingAddrs& addrs,
                                                const Options& options) {
  if (const auto* packed = std::get_if<PackedRingAddrs>(&addrs)) {
    auto half = PackedDriver::Create(memory, *packed, options);
    if (!half.ok()) return half.status();
    return DriverQueue(*std::move(half));
  }
  auto half = SplitDriver::Create(memory, *std::get_if<SplitRingAddrs>(&addrs),
                                  options);
  if (!half.ok()) return half.status();
  return DriverQueue(*std::move(half));
}

absl::StatusOr<DriverQueue> DriverQueue::Restore(const GuestMemory& memory,
                                                 const RingAddrs& addrs,
                                                 const Options& options,
                                                 const DriverState& state) {
  if (const auto* packed = std::get_if<PackedRingAddrs>(&addrs)) {
    auto half = PackedDriver::Restore(memory, *packed, options, state);
    if (!half.ok()) return half.status();
    return DriverQueue(*std::move(half));
  }
  auto half = SplitDriver::Restore(memory, *std::get_if<SplitRingAddrs>(&addrs),
                                   options, state);
  if (!half.ok()) return half.status();
  return DriverQueue(*std::move(half));
}

DriverTerms::AddResult DriverQueue::AddAny(absl::Span<const Buffer> readable,
                                           absl::Span<const Buffer> writable,
                                           uint64_t token) {
  return packed() ? packed_.AddAny(readable, writable, token)
                  : split_.AddAny(readable, writable, token);
}

DriverTerms::Collected DriverQueue::CollectAny() {
  return packed() ? packed_.CollectAny() : split_.CollectAny();
}

}  // namespace virtqueue
