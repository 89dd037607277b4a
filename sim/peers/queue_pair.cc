#include "sim/peers/queue_pair.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/ring_format_of.h"

namespace sim {
namespace {

vsock::PayloadMode ModeOf(const Scenario& scenario) {
  return scenario.payload() == Scenario::REAL ? vsock::PayloadMode::kReal
                                              : vsock::PayloadMode::kElided;
}

NetDevice::Options DeviceOptions(const Scenario& scenario,
                                 const NetDriver& driver) {
  const Scenario::Ring& ring = scenario.guest().ring();
  return {.ring_size = static_cast<uint16_t>(ring.size()),
          .event_idx = ring.event_idx(),
          .indirect = ring.indirect(),
          .in_order = ring.in_order(),
          .rx = driver.rx_ring(),
          .tx = driver.tx_ring(),
          .packet_weight = scenario.device().packet_weight(),
          .byte_weight = scenario.device().byte_weight(),
          .tap_frames = scenario.virtio_net().tap_queue_packets(),
          .payload = ModeOf(scenario)};
}

}  // namespace

NetDriver::Options QueuePair::DriverOptions(const Scenario& scenario) {
  const Scenario::Ring& ring = scenario.guest().ring();
  const Scenario::VirtioNet& net = scenario.virtio_net();
  return {.ring_format = RingFormatOf(ring),
          .ring_size = static_cast<uint16_t>(ring.size()),
          .event_idx = ring.event_idx(),
          .indirect = ring.indirect(),
          .in_order = ring.in_order(),
          .mtu = net.mtu(),
          .tx_napi = net.tx_napi(),
          .qdisc_frames = net.qdisc_packets(),
          .payload = ModeOf(scenario)};
}

absl::StatusOr<std::unique_ptr<QueuePair>> QueuePair::Create(
    const Scenario& scenario, virtqueue::OwnedGuestMemory& memory,
    DatagramEndpoint& guest_sockets, uint32_t index) {
  absl::StatusOr<std::unique_ptr<NetDriver>> driver =
      NetDriver::Create(memory, DriverOptions(scenario), guest_sockets);
  if (!driver.ok()) return driver.status();
  absl::StatusOr<std::unique_ptr<NetDevice>> device =
      NetDevice::Create(memory.memory(), DeviceOptions(scenario, **driver));
  if (!device.ok()) return device.status();
  return std::unique_ptr<QueuePair>(new QueuePair(
      *std::move(driver), *std::move(device), absl::StrCat("net", index)));
}

QueuePair::QueuePair(std::unique_ptr<NetDriver> driver,
                     std::unique_ptr<NetDevice> device, const std::string& name)
    : driver_(std::move(driver)),
      device_(std::move(device)),
      qdisc_(absl::StrCat(name, " qdisc")),
      tx_ring_(absl::StrCat(name, " tx ring")),
      tap_queue_(absl::StrCat(name, " tap queue")) {}

void QueuePair::Observe(vsock::Instant now) {
  qdisc_.Observe(now, driver_->qdisc_in(), driver_->qdisc_out());
  tx_ring_.Observe(now, driver_->tx_added(), device_->tx_completed());
  tap_queue_.Observe(now, device_->tap_in(), device_->tap_out());
}

uint64_t QueuePair::FramesToHost() const {
  return driver_->in_qdisc() + (driver_->tx_added() - device_->tx_popped()) +
         device_->in_batch();
}

uint64_t QueuePair::FramesToGuest() const {
  return device_->in_tap() + device_->in_hand() +
         (device_->rx_added() - driver_->rx_taken()) + driver_->in_hand();
}

absl::Status QueuePair::Check(vsock::Instant now) const {
  for (const absl::Status& status :
       {driver_->status(), device_->status(), qdisc_.Check(now),
        tx_ring_.Check(now), tap_queue_.Check(now)}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace sim
