#include "virtqueue/device_queue.h"

#include <cstddef>
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
  return DeviceQueue(memory, *std::move(half));
}

absl::StatusOr<DeviceQueue::Restored> DeviceQueue::Restore(
    const GuestMemory& memory, const RingAddrs& addrs, const Options& options,
    const DeviceState& state) {
  absl::StatusOr<DeviceQueue> queue = Create(memory, addrs, options);
  if (!queue.ok()) return queue.status();
  absl::Status status = CheckDeviceState(state, FormatOf(addrs), options.size);
  status.Update(CheckTurns(state, options.in_order));
  if (!status.ok()) return status;
  status = queue->packed() ? queue->packed_.SetTo(state)
                           : queue->split_.SetTo(state);
  std::vector<Chain> chains(state.in_flight.size());
  for (size_t i = 0; i < chains.size(); ++i) {
    status.Update(chains[i].SetTo(state.in_flight[i], memory, options.size));
    chains[i].SetUnusual(state.in_flight[i].id, queue->packed(), queue->life_);
  }
  if (!status.ok()) return status;
  return Restored{.queue = *std::move(queue), .in_flight = std::move(chains)};
}

DeviceState DeviceQueue::Save(absl::Span<const Chain* const> held) const {
  VSOCK_CHECK(held.size() == in_flight());
  DeviceState state = packed() ? packed_.Save() : split_.Save();
  for (const Chain* chain : held) {
    VSOCK_CHECK(Has(*chain));
    state.in_flight.push_back(chain->Save(split_.memory()));
  }
  return state;
}

void DeviceQueue::Reset() {
  const uint32_t orphans = orphans_ + in_flight();
  format_ = RingFormat::kSplit;
  packed_ = PackedDevice(split_.memory());
  split_ = SplitDevice(split_.memory());
  SetLife(life_ + 1, orphans);
}

absl::Status DeviceQueue::Restart(const GuestMemory& memory,
                                  const RingAddrs& addrs,
                                  const Options& options) {
  Reset();
  absl::StatusOr<DeviceQueue> queue = Create(memory, addrs, options);
  if (!queue.ok()) return queue.status();
  queue->SetLife(life_, orphans_);
  *this = *std::move(queue);
  return absl::OkStatus();
}

DeviceTerms::PopResult DeviceQueue::PopAny(Chain& chain) {
  return packed() ? packed_.PopAny(chain) : split_.PopAny(chain);
}

void DeviceQueue::PushAny(Chain& chain, uint32_t written) {
  if (!Has(chain)) return Discard(chain);
  packed() ? packed_.PushAny(chain, written) : split_.PushAny(chain, written);
}

void DeviceQueue::UnPop(Chain& chain) {
  if (!Has(chain)) return Discard(chain);
  packed() ? packed_.UnPop(chain) : split_.UnPop(chain);
}

bool DeviceQueue::Has(const Chain& chain) const {
  if (!chain.pending_of(packed())) return false;
  return chain.usual() ? orphans_ == 0 : chain.life_ == life_;
}

void DeviceQueue::SetLife(uint32_t life, uint32_t orphans) {
  life_ = life;
  orphans_ = orphans;
  packed_.SetLife(life, orphans != 0);
  split_.SetLife(life, orphans != 0);
}

void DeviceQueue::Discard(Chain& chain) {
  VSOCK_CHECK(chain.pending());
  chain.Complete();
  if (orphans_ != 0) SetLife(life_, orphans_ - 1);
}

}  // namespace virtqueue
