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
  return DeviceQueue(*std::move(half));
}

absl::StatusOr<DeviceQueue::Restored> DeviceQueue::Restore(
    const GuestMemory& memory, const RingAddrs& addrs, const Options& options,
    const DeviceState& state) {
  absl::StatusOr<DeviceQueue> queue = Create(memory, addrs, options);
  if (!queue.ok()) return queue.status();
  absl::Status status = CheckDeviceState(state, FormatOf(addrs), options.size);
  status.Update(CheckTurns(state, options.in_order));
  if (!status.ok()) return status;
  status = queue->packed_ ? queue->packed_->SetTo(state)
                          : queue->split_.SetTo(state);
  std::vector<Chain> chains(state.in_flight.size());
  for (size_t i = 0; i < chains.size(); ++i) {
    status.Update(chains[i].SetTo(state.in_flight[i], memory, options.size));
    chains[i].head_ = queue->tag() | state.in_flight[i].id;
  }
  if (!status.ok()) return status;
  return Restored{.queue = *std::move(queue), .in_flight = std::move(chains)};
}

DeviceState DeviceQueue::Save(absl::Span<const Chain* const> held) const {
  VSOCK_CHECK(held.size() == in_flight());
  DeviceState state = packed_ ? packed_->Save() : split_.Save();
  for (const Chain* chain : held) {
    VSOCK_CHECK(chain->IsOf(tag()));
    state.in_flight.push_back(chain->Save(split_.memory()));
  }
  return state;
}

void DeviceQueue::Reset() {
  packed_.reset();
  split_ = SplitDevice(split_.memory());
  SetLife(NextLife());
}

absl::Status DeviceQueue::Restart(const GuestMemory& memory,
                                  const RingAddrs& addrs,
                                  const Options& options) {
  Reset();
  absl::StatusOr<DeviceQueue> queue = Create(memory, addrs, options);
  if (!queue.ok()) return queue.status();
  queue->SetLife(life_);
  *this = *std::move(queue);
  return absl::OkStatus();
}

void DeviceQueue::UnPop(Chain& chain) {
  if (!chain.IsOf(tag())) return Discard(chain);
  packed_ ? packed_->UnPop(chain) : split_.UnPop(chain);
}

void DeviceQueue::SetLife(uint32_t life) {
  life_ = life;
  split_.SetLife(life);
  if (packed_) packed_->SetLife(life);
}

void DeviceQueue::Discard(Chain& chain) {
  VSOCK_CHECK(chain.pending());
  chain.head_ = Chain::kNoHead;
}

void DeviceQueue::PushOther(Chain& chain, uint32_t written) {
  if (!chain.IsOf(tag())) return Discard(chain);
  packed_ ? packed_->PushInOrder(chain, written)
          : split_.PushInOrder(chain, written);
}

}  // namespace virtqueue
