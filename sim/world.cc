#include "sim/world.h"

#include <optional>
#include <string>
#include <utility>

#include "virtqueue/check.h"

namespace sim {
namespace {

using vsock::Effects;
using vsock::Instant;
using vsock::Nanos;
using vsock::Work;

// A running task gives way to a waiting one after so long. Linux lets a task
// that slept preempt one that did not; this bounds the wait likewise.
constexpr Nanos kTimeSlice{100'000};

// How often a run looks whether it is to stop.
constexpr Nanos kStopCheck{10'000'000};

// The properties are looked at after one step in so many: at each they would
// take a quarter of a run's time.
constexpr uint32_t kStepsBetweenLooks = 16;

Instant AtUs(uint64_t us) { return Instant(static_cast<int64_t>(us) * 1000); }

Processors::Options CpuOptions(uint32_t count, const CostModel& costs,
                               const Random& root, const char* name,
                               const Scenario& scenario) {
  Processors::Options options = {
      .count = count,
      .time_slice = kTimeSlice,
      .context_switch = costs.Length(Delay::kContextSwitch)};
  if (scenario.randomness().run_queue_order().enabled()) {
    options.order = root.Fork("run_queue").Fork(name);
  }
  return options;
}

vsock::Transport::Options TransportOptions(const Scenario& scenario,
                                           const Scenario::Kernel& kernel,
                                           vsock::Cid cid) {
  vsock::Transport::Options options;
  options.cid = cid;
  options.features =
      vsock::Features(vsock::Features::kStream | vsock::Features::kDgram);
  options.proposal.send_charge =
      scenario.proposal().charge() == Scenario::Proposal::TRUESIZE
          ? vsock::SendCharge::kTruesize
          : vsock::SendCharge::kPayloadBytes;
  options.stream_buffer = {.size = kernel.stream_buffer_bytes(),
                           .min = kernel.stream_buffer_min_bytes(),
                           .max = kernel.stream_buffer_max_bytes()};
  options.datagram_send_buffer = {.max = kernel.wmem_max_bytes(),
                                  .initial = kernel.wmem_default_bytes(),
                                  .floor = vsock::kSendBufferFloor};
  options.datagram_receive_buffer = {.max = kernel.rmem_max_bytes(),
                                     .initial = kernel.rmem_default_bytes(),
                                     .floor = vsock::kReceiveBufferFloor};
  return options;
}

vsock::PayloadMode ModeOf(const Scenario& scenario) {
  return scenario.payload() == Scenario::REAL ? vsock::PayloadMode::kReal
                                              : vsock::PayloadMode::kElided;
}

}  // namespace

// The workers. Each makes one step of the model at the end of each burst.

class World::Worker : public Task {
 public:
  Worker(World& world, const char* name)
      : world_(world),
        chance_(world.root_, name, world.scenario_.randomness()) {}

  Chance& chance() { return chance_; }

 protected:
  // The next burst after a step, or sleep when the step cost nothing and left
  // nothing to do.
  static std::optional<Nanos> Continue(const Effects& effects, Nanos price) {
    if (!effects.more && price == Nanos(0)) return std::nullopt;
    return price;
  }

  World& world_;
  Chance chance_;
};

class World::SendWorker final : public World::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant) override {
    const Effects effects = world_.guest_->driver().SendStep();
    return Continue(effects, world_.Settle(Side::kGuest, Step::kGuestWorker,
                                           effects, chance_));
  }
};

class World::ReclaimWorker final : public World::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant) override {
    const Effects effects = world_.guest_->driver().ReclaimStep();
    return Continue(effects, world_.Settle(Side::kGuest, Step::kGuestWorker,
                                           effects, chance_));
  }
};

class World::RxWorker final : public World::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant now) override {
    const Effects effects = world_.guest_->driver().RxStep(now);
    return Continue(effects, world_.Settle(Side::kGuest, Step::kGuestWorker,
                                           effects, chance_));
  }
};

class World::VhostWorker final : public World::Worker {
 public:
  using Worker::Worker;
  std::optional<Nanos> Run(Instant now) override {
    const Effects effects = world_.device_->Step(now);
    world_.ring_messages_ += effects.work.packets;
    return Continue(effects, world_.Settle(Side::kHost, Step::kVhostWorker,
                                           effects, chance_));
  }
};

class World::Clerk final : public Actor {
 public:
  explicit Clerk(World& world) : Actor(world.loop_, "clerk"), world_(world) {
    WakeAt(world.window_.begin);
  }

  void OnWake(Instant now) override {
    if (now == world_.window_.begin) {
      world_.at_begin_ = world_.TakeSnapshot();
      WakeAt(world_.window_.end);
    } else {
      world_.at_end_ = world_.TakeSnapshot();
    }
  }

 private:
  World& world_;
};

absl::StatusOr<std::unique_ptr<World>> World::Create(const Scenario& scenario,
                                                     const Platform& platform,
                                                     uint64_t seed) {
  std::unique_ptr<World> world(new World(scenario, platform, seed));
  const vsock::Cid cid(scenario.guest().cid());
  const Scenario::Ring& ring = scenario.guest().ring();
  auto guest = vsock::Guest::Create(
      {.transport = TransportOptions(scenario, scenario.guest().kernel(), cid),
       .driver = {.ring_size = static_cast<uint16_t>(ring.size()),
                  .event_idx = ring.event_idx(),
                  .indirect = ring.indirect(),
                  .rx_buffer_bytes = scenario.guest().rx_buffer_bytes()},
       .payload = ModeOf(scenario),
       .payload_bytes = uint64_t{1} << 31});
  if (!guest.ok()) return guest.status();
  world->guest_ = *std::move(guest);
  auto host = vsock::Host::Create(
      {.transport = TransportOptions(scenario, scenario.host().kernel(),
                                     vsock::kCidHost),
       .payload = ModeOf(scenario),
       .payload_bytes = uint64_t{1} << 31});
  if (!host.ok()) return host.status();
  world->host_ = *std::move(host);
  auto device = world->host_->AddGuest(
      world->guest_->memory(),
      {.cid = cid,
       .rings = world->guest_->driver().layout(),
       .packet_weight = scenario.device().packet_weight(),
       .byte_weight = scenario.device().byte_weight()});
  if (!device.ok()) return device.status();
  world->device_ = *device;
  if (scenario.checks()) {
    world->properties_.emplace(*world->guest_, *world->host_, **device,
                               kStepsBetweenLooks);
  }
  for (vsock::LossLog* losses :
       {&world->guest_->transport().losses(), &world->guest_->driver().losses(),
        &world->host_->transport().losses(), &world->device_->losses()}) {
    losses->Record();
  }
  return world;
}

World::World(const Scenario& scenario, const Platform& platform, uint64_t seed)
    : scenario_(scenario),
      costs_(platform),
      window_{AtUs(scenario.warmup_us()),
              AtUs(scenario.warmup_us() + scenario.duration_us())},
      end_(AtUs(scenario.warmup_us() + scenario.duration_us() +
                scenario.cooldown_us())),
      root_(seed),
      guest_cpus_(loop_, "guest",
                  CpuOptions(scenario.guest().vcpus(), costs_, root_, "guest",
                             scenario)),
      host_cpus_(
          loop_, "host",
          CpuOptions(scenario.host().cpus(), costs_, root_, "host", scenario)),
      send_worker_(std::make_unique<SendWorker>(*this, "send_worker")),
      reclaim_worker_(std::make_unique<ReclaimWorker>(*this, "tx_worker")),
      rx_worker_(std::make_unique<RxWorker>(*this, "rx_worker")),
      vhost_worker_(std::make_unique<VhostWorker>(*this, "vhost_worker")),
      clerk_(std::make_unique<Clerk>(*this)),
      ring_wait_{Level(Instant(0)), Level(Instant(0))},
      guest_send_list_("guest send list"),
      tx_ring_("tx ring"),
      host_send_list_("host send list") {
  const Scenario::Randomness::Interference& bursts =
      scenario.randomness().interference();
  if (!bursts.enabled()) return;
  const Interference::Means means = {
      Nanos(static_cast<int64_t>(bursts.mean_interval_us()) * 1000),
      Nanos(static_cast<int64_t>(bursts.mean_length_us()) * 1000)};
  for (Processors* set : {&guest_cpus_, &host_cpus_}) {
    for (uint32_t i = 0; i < set->count(); ++i) {
      interference_.push_back(std::make_unique<Interference>(
          loop_, *set, i,
          root_.Fork("interference").Fork(set->name()).Fork(std::to_string(i)),
          means));
    }
  }
}

World::~World() = default;

Nanos World::Charge(const Work& work, Chance& chance) {
  work_ += work;
  return costs_.Price(Step::kApplicationCall, work, chance.CostFactor());
}

Nanos World::FinishCall(Side side, const Work& work, Chance& chance) {
  Effects effects;
  effects.work = work;
  if (side == Side::kGuest) {
    effects += guest_->driver().Submit();
    effects.work.wakeups += effects.run_send_work;
  } else if (device_->Submit()) {
    effects.work.wakeups += 1;
    host_cpus_.Ready(*vhost_worker_, costs_.Length(Delay::kWorkerWakeup,
                                                   chance.WakeupFactor()));
  }
  return Settle(side, Step::kApplicationCall, effects, chance);
}

Nanos World::Settle(Side side, Step step, const Effects& effects,
                    Chance& chance) {
  work_ += effects.work;
  Dispatch(effects, chance);
  WakeSleepers(side);
  Observe();
  if (properties_.has_value()) {
    if (absl::Status s = properties_->AfterStep(); !s.ok()) Stop(std::move(s));
  }
  return costs_.Price(step, effects.work, chance.CostFactor());
}

void World::Dispatch(const Effects& effects, Chance& chance) {
  const bool tx_work = effects.kick_tx && device_->OnTxKick();
  const bool rx_work = effects.kick_rx && device_->OnRxKick();
  if (tx_work || rx_work) {
    host_cpus_.Ready(*vhost_worker_, costs_.Length(Delay::kWorkerWakeup,
                                                   chance.WakeupFactor()));
  }
  const auto interrupt = [&](Task& worker) {
    guest_cpus_.Ready(
        worker, costs_.Length(Delay::kGuestInterrupt, chance.WakeupFactor()));
  };
  if (effects.interrupt_tx) interrupt(*reclaim_worker_);
  if (effects.interrupt_rx) interrupt(*rx_worker_);
  if (effects.run_send_work) Wake(Side::kGuest, *send_worker_, chance);
  if (effects.run_rx_work) Wake(Side::kGuest, *rx_worker_, chance);
}

void World::Wake(Side side, Task& task, Chance& chance) {
  ++task_wakeups_;
  processors(side).Ready(
      task, costs_.Length(Delay::kTaskLatency, chance.WakeupFactor()));
}

bool World::Sleep(Side side, vsock::SocketId socket, uint32_t events,
                  Task& task, Chance& chance) {
  if (sockets(side).WaitFor(socket, events)) return true;
  std::vector<Sleeper>& sleepers = sleepers_[static_cast<size_t>(side)];
  const size_t index = static_cast<uint32_t>(socket.value());
  if (index >= sleepers.size()) sleepers.resize(index + 1);
  sleepers[index] = {&task, &chance};
  return false;
}

void World::WakeSleepers(Side side) {
  sockets(side).TakeWakes([&](const vsock::Wake& wake) {
    const Sleeper& sleeper =
        sleepers_[static_cast<size_t>(side)]
                 [static_cast<uint32_t>(wake.socket.value())];
    Wake(side, *sleeper.task, *sleeper.chance);
  });
}

namespace {

uint64_t OriginKey(vsock::Type type, vsock::Port port) {
  return static_cast<uint64_t>(type) << 32 | port.value();
}

size_t SideOf(vsock::Address source) { return source.cid == vsock::kCidHost; }

}  // namespace

void World::Register(vsock::Type type, vsock::Address source, Origin origin) {
  origins_[SideOf(source)][OriginKey(type, source.port)] = origin;
}

const World::Origin* World::FindOrigin(vsock::Type type,
                                       vsock::Address source) const {
  const auto& origins = origins_[SideOf(source)];
  const auto it = origins.find(OriginKey(type, source.port));
  return it == origins.end() ? nullptr : &it->second;
}

void World::BookLosses(vsock::LossLog& losses) {
  for (const vsock::Loss& loss : losses.recent()) {
    if (const Origin* origin = FindOrigin(loss.type, loss.source)) {
      origin->book->Lost(now(), loss.reason, loss.bytes);
    }
  }
  losses.recent().clear();
}

// Looks at everything that is watched from outside.
void World::Observe() {
  for (vsock::LossLog* losses :
       {&guest_->transport().losses(), &guest_->driver().losses(),
        &host_->transport().losses(), &device_->losses()}) {
    if (!losses->recent().empty()) BookLosses(*losses);
  }
  const vsock::Driver& driver = guest_->driver();
  const auto watch = [&](Side side, bool waits) {
    Level& level = ring_wait_[static_cast<size_t>(side)];
    if (level.value() != waits) level.Set(now(), waits);
  };
  watch(Side::kGuest, driver.waits_for_ring());
  watch(Side::kHost, device_->waits_for_ring());
  const auto through = [&](Passage& passage, const vsock::PacketQueue& list) {
    passage.Observe(now(), list.taken() + list.size(), list.taken());
  };
  through(guest_send_list_, guest_->send_list());
  through(host_send_list_, device_->send_list());
  tx_ring_.Observe(now(), driver.tx_added(), device_->tx_completed());
}

// The first breach ends the run.
void World::Stop(absl::Status breach) {
  if (breach_.ok()) breach_ = std::move(breach);
  loop_.Stop();
}

absl::Status World::Run(const std::atomic<bool>& stop) {
  while (loop_.now() < end_ && breach_.ok()) {
    if (stop.load(std::memory_order_relaxed)) {
      return absl::CancelledError("the run was stopped");
    }
    loop_.RunUntil(std::min(end_, loop_.now() + kStopCheck));
  }
  return breach_;
}

absl::Status World::Check() {
  // Most runs are cut off in the middle of their traffic. One that has come to
  // rest must have done so with nothing left over.
  if (properties_.has_value() && AtRest()) {
    if (absl::Status s = properties_->AtRest(); !s.ok()) return s;
  }
  for (const absl::Status& status :
       {guest_->driver().status(), device_->status(), guest_cpus_.Check(),
        host_cpus_.Check(), guest_send_list_.Check(now()),
        tx_ring_.Check(now()), host_send_list_.Check(now())}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool World::AtRest() const {
  return send_worker_->asleep() && reclaim_worker_->asleep() &&
         rx_worker_->asleep() && vhost_worker_->asleep();
}

}  // namespace sim
