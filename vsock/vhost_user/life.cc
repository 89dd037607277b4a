#include "vsock/vhost_user/life.h"

#include <utility>
#include <variant>

#include "virtqueue/device_state.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/split_ring.h"

namespace vsock::vhost_user {
namespace {

using virtqueue::OwnedGuestMemory;

// Feature bits 0 to 23 are those of the device's type (6).
constexpr uint64_t kOfDevice = (1u << 24) - 1;

Transport::Options TransportOptions(const Life::Options& options,
                                    Features features) {
  return {.cid = kCidHost,
          .features = Features(features.bits() & kOfDevice),
          .proposal = options.proposal};
}

virtqueue::DeviceState StateOf(const RingSetup& ring) {
  return virtqueue::IdleDeviceState(virtqueue::FormatOf(ring.addrs), ring.size,
                                    ring.base);
}

// Of a ring with nothing in flight. A chain that was put back is one to be
// popped again, and the next: all before it was pushed and published.
RingBase BaseOf(const virtqueue::DeviceState& state) {
  if (state.format == virtqueue::RingFormat::kSplit) return state.published;
  return RingBase{state.published} << 16 | state.published;
}

std::optional<virtqueue::UsedEventLint> LintOf(
    const virtqueue::GuestMemory& memory, const RingSetup& ring) {
  const auto* split = std::get_if<virtqueue::SplitRingAddrs>(&ring.addrs);
  if (split == nullptr) return std::nullopt;
  auto lint = virtqueue::UsedEventLint::Create(memory, *split, ring.size);
  if (!lint.ok()) return std::nullopt;
  return *std::move(lint);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Life>> Life::Create(const Options& options,
                                                   Features features) {
  absl::StatusOr<OwnedGuestMemory> memory =
      OwnedGuestMemory::Create(options.payload_bytes);
  if (!memory.ok()) return memory.status();
  return std::unique_ptr<Life>(new Life(options, features, *std::move(memory)));
}

Life::Life(const Options& options, Features features, OwnedGuestMemory memory)
    : options_(options),
      memory_(std::move(memory)),
      arena_(PayloadArena::In(memory_, options.payload_bytes)),
      pool_(PayloadMode::kReal, &arena_),
      transport_(TransportOptions(options, features), pool_, router_,
                 tail_drop_),
      sockets_(transport_) {
  router_.Add(options.guest_cid, send_list_);
}

absl::Status Life::Attach(const virtqueue::GuestMemory& memory,
                          const DeviceSetup& setup) {
  const RingSetup& rx = setup.rings[kRxQueue];
  const RingSetup& tx = setup.rings[kTxQueue];
  const Device::Options options = {
      .guest_cid = options_.guest_cid,
      .ring_size = rx.size,
      .event_idx = (setup.features & kEventIdx) != 0,
      .indirect = (setup.features & kIndirectDesc) != 0,
      .in_order = (setup.features & kInOrder) != 0,
      .rx = rx.addrs,
      .tx = tx.addrs,
      .rx_state = StateOf(rx),
      .tx_state = StateOf(tx)};
  absl::StatusOr<std::unique_ptr<Device>> device =
      Device::Create(memory, options, transport_, pool_, send_list_);
  if (!device.ok()) return device.status();
  device_ = *std::move(device);
  for (size_t queue = 0; options.event_idx && queue < kQueues; ++queue) {
    lints_[queue] = LintOf(memory, setup.rings[queue]);
  }
  return absl::OkStatus();
}

std::array<RingBase, kQueues> Life::Detach() {
  std::array<RingBase, kQueues> bases;
  bases[kRxQueue] = BaseOf(device_->rx_state());
  bases[kTxQueue] = BaseOf(device_->tx_state());
  device_.reset();
  lints_ = {};
  return bases;
}

std::optional<size_t> Life::FindUnwrittenUsedEvent() {
  for (size_t queue = 0; queue < kQueues; ++queue) {
    std::optional<virtqueue::UsedEventLint>& lint = lints_[queue];
    if (!lint) continue;
    lint->Look();
    if (!lint->never_written()) continue;
    lint.reset();
    return queue;
  }
  return std::nullopt;
}

}  // namespace vsock::vhost_user
