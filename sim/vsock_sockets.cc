#include "sim/vsock_sockets.h"

#include <optional>
#include <utility>

#include "sim/ring_format_of.h"
#include "sim/transport_options.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

using vsock::Effects;
using vsock::Instant;
using vsock::Nanos;
using vsock::SocketId;
using vsock::Transport;
using vsock::Work;

// The properties are looked at after one step in so many: at each they would
// take a quarter of a run's time.
constexpr uint32_t kStepsBetweenLooks = 16;

}  // namespace

// The workers. Each makes one step of the model at the end of each burst.

class VsockSockets::Worker : public Task {
 public:
  Worker(VsockSockets& layer, const char* name)
      : layer_(layer), chance_(layer.machines().ChanceOf(name)) {}

  Chance& chance() { return chance_; }

 protected:
  // The next burst after a step, or sleep when the step cost nothing and left
  // nothing to do.
  static std::optional<Nanos> Continue(const Effects& effects, Nanos price) {
    if (!effects.more && price == Nanos(0)) return std::nullopt;
    return price;
  }

  VsockSockets& layer_;
  Chance chance_;
};

class VsockSockets::SendWorker final : public VsockSockets::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant) override {
    const Effects effects = layer_.guest_->driver().SendStep();
    return Continue(effects, layer_.Settle(Side::kGuest, Step::kGuestWorker,
                                           effects, chance_));
  }
};

class VsockSockets::ReclaimWorker final : public VsockSockets::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant) override {
    const Effects effects = layer_.guest_->driver().ReclaimStep();
    return Continue(effects, layer_.Settle(Side::kGuest, Step::kGuestWorker,
                                           effects, chance_));
  }
};

class VsockSockets::RxWorker final : public VsockSockets::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant now) override {
    const Effects effects = layer_.guest_->driver().RxStep(now);
    return Continue(effects, layer_.Settle(Side::kGuest, Step::kGuestWorker,
                                           effects, chance_));
  }
};

class VsockSockets::VhostWorker final : public VsockSockets::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant now) override {
    const Effects effects = layer_.device_->Step(now);
    layer_.ring_messages_ += effects.work.packets;
    return Continue(effects, layer_.Settle(Side::kHost, Step::kVhostWorker,
                                           effects, chance_));
  }
};

absl::StatusOr<std::unique_ptr<VsockSockets>> VsockSockets::Create(
    Machines& machines) {
  const Scenario& scenario = machines.scenario();
  std::unique_ptr<VsockSockets> layer(new VsockSockets(machines));
  const vsock::Cid cid(scenario.guest().cid());
  const Scenario::Ring& ring = scenario.guest().ring();
  auto guest = vsock::Guest::Create(
      {.transport = TransportOptions(scenario, scenario.guest().kernel(), cid),
       .driver = {.ring_format = RingFormatOf(ring),
                  .ring_size = static_cast<uint16_t>(ring.size()),
                  .event_idx = ring.event_idx(),
                  .indirect = ring.indirect(),
                  .in_order = ring.in_order(),
                  .rx_buffer_bytes = scenario.guest().rx_buffer_bytes()},
       .payload = ModeOf(scenario),
       .payload_bytes = uint64_t{1} << 31});
  if (!guest.ok()) return guest.status();
  layer->guest_ = *std::move(guest);
  layer->SetTransport(Side::kGuest, layer->guest_->transport());
  auto host = vsock::Host::Create(
      {.transport = TransportOptions(scenario, scenario.host().kernel(),
                                     vsock::kCidHost),
       .payload = ModeOf(scenario),
       .payload_bytes = uint64_t{1} << 31});
  if (!host.ok()) return host.status();
  layer->host_ = *std::move(host);
  layer->SetTransport(Side::kHost, layer->host_->transport());
  auto device = layer->host_->AddGuest(
      layer->guest_->memory(),
      {.cid = cid,
       .rings = layer->guest_->driver().layout(),
       .packet_weight = scenario.device().packet_weight(),
       .byte_weight = scenario.device().byte_weight()});
  if (!device.ok()) return device.status();
  layer->device_ = *device;
  if (scenario.checks()) {
    layer->properties_.emplace(*layer->guest_, *layer->host_, **device,
                               kStepsBetweenLooks);
  }
  for (vsock::LossLog* losses :
       {&layer->guest_->transport().losses(), &layer->guest_->driver().losses(),
        &layer->host_->transport().losses(), &layer->device_->losses()}) {
    losses->Record();
  }
  return layer;
}

VsockSockets::VsockSockets(Machines& machines)
    : TransportSockets(machines),
      send_worker_(std::make_unique<SendWorker>(*this, "send_worker")),
      reclaim_worker_(std::make_unique<ReclaimWorker>(*this, "tx_worker")),
      rx_worker_(std::make_unique<RxWorker>(*this, "rx_worker")),
      vhost_worker_(std::make_unique<VhostWorker>(*this, "vhost_worker")),
      ring_wait_{Level(Instant(0)), Level(Instant(0))},
      guest_send_list_("guest send list"),
      tx_ring_("tx ring"),
      host_send_list_("host send list") {}

VsockSockets::~VsockSockets() = default;

Nanos VsockSockets::FinishCall(SocketRef socket, const Work& work,
                               Chance& chance) {
  Effects effects;
  effects.work = work;
  if (socket.side == Side::kGuest) {
    effects += guest_->driver().Submit();
    effects.work.wakeups += effects.run_send_work;
  } else if (device_->Submit()) {
    effects.work.wakeups += 1;
    machines().WakeAfter(Side::kHost, *vhost_worker_, Delay::kWorkerWakeup,
                         chance);
  }
  return Settle(socket.side, Step::kApplicationCall, effects, chance);
}

Nanos VsockSockets::Settle(Side side, Step step, const Effects& effects,
                           Chance& chance) {
  Count(effects.work);
  Dispatch(effects, chance);
  WakeSleepers(side);
  Observe();
  if (properties_.has_value()) {
    absl::Status status = properties_->AfterStep();
    if (!status.ok()) machines().Stop(std::move(status));
  }
  return machines().costs().Price(step, effects.work, chance.CostFactor());
}

void VsockSockets::Dispatch(const Effects& effects, Chance& chance) {
  const bool tx_work = effects.kick_tx && device_->OnTxKick();
  const bool rx_work = effects.kick_rx && device_->OnRxKick();
  if (tx_work || rx_work) {
    machines().WakeAfter(Side::kHost, *vhost_worker_, Delay::kWorkerWakeup,
                         chance);
  }
  const auto interrupt = [&](Task& worker) {
    machines().WakeAfter(Side::kGuest, worker, Delay::kGuestInterrupt, chance);
  };
  if (effects.interrupt_tx) interrupt(*reclaim_worker_);
  if (effects.interrupt_rx) interrupt(*rx_worker_);
  if (effects.run_send_work) {
    machines().Wake(Side::kGuest, *send_worker_, chance);
  }
  if (effects.run_rx_work) {
    machines().Wake(Side::kGuest, *rx_worker_, chance);
  }
}

// Looks at everything that is watched from outside.
void VsockSockets::Observe() {
  for (vsock::LossLog* losses :
       {&guest_->transport().losses(), &guest_->driver().losses(),
        &host_->transport().losses(), &device_->losses()}) {
    if (!losses->recent().empty()) BookLosses(*losses, absl::nullopt);
  }
  const vsock::Driver& driver = guest_->driver();
  const auto watch = [&](Side side, bool waits) {
    Level& level = ring_wait_[static_cast<size_t>(side)];
    if (level.value() != waits) level.Set(machines().now(), waits);
  };
  watch(Side::kGuest, driver.waits_for_ring());
  watch(Side::kHost, device_->waits_for_ring());
  const auto through = [&](Passage& passage, const vsock::PacketQueue& list) {
    passage.Observe(machines().now(), list.taken() + list.size(), list.taken());
  };
  through(guest_send_list_, guest_->send_list());
  through(host_send_list_, device_->send_list());
  tx_ring_.Observe(machines().now(), driver.tx_added(),
                   device_->tx_completed());
}

Nanos VsockSockets::RingWait(Side side) const {
  return Nanos(ring_wait_[static_cast<size_t>(side)].Area(machines().now()));
}

LayerCounters VsockSockets::Counters() const {
  LayerCounters now = CommonCounters();
  const TaskUse& worker = vhost_worker_->use();
  now.worker_wakeups = worker.wakeups - worker.wakeups_while_awake;
  now.ring_messages = ring_messages_;
  now.laws_checked = 2 * 3;  // Little and balance of three queues
  now.workers.push_back({.name = "vhost_worker", .busy = worker.busy});
  return now;
}

absl::Status VsockSockets::Check() {
  // Most runs are cut off in the middle of their traffic. One that has come to
  // rest must have done so with nothing left over.
  if (properties_.has_value() && AtRest()) {
    if (absl::Status s = properties_->AtRest(); !s.ok()) return s;
  }
  const vsock::Instant now = machines().now();
  for (const absl::Status& status :
       {guest_->driver().status(), device_->status(),
        guest_send_list_.Check(now), tx_ring_.Check(now),
        host_send_list_.Check(now)}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool VsockSockets::AtRest() const {
  return send_worker_->asleep() && reclaim_worker_->asleep() &&
         rx_worker_->asleep() && vhost_worker_->asleep();
}

}  // namespace sim
