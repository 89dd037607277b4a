#include "sim/world.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/actor.h"
#include "sim/layers.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

// How often a run looks whether it is to stop.
constexpr Nanos kStopCheck{10'000'000};

Instant EndOf(const Scenario& scenario) {
  return Instant(static_cast<int64_t>(scenario.warmup_us() +
                                      scenario.duration_us() +
                                      scenario.cooldown_us()) *
                 1000);
}

void Add(const LayerCounters& of, LayerCounters& sum) {
  sum.work += of.work;
  sum.credit_updates += of.credit_updates;
  sum.worker_wakeups += of.worker_wakeups;
  sum.ring_messages += of.ring_messages;
  sum.laws_checked += of.laws_checked;
  sum.workers.insert(sum.workers.end(), of.workers.begin(), of.workers.end());
}

}  // namespace

class World::Clerk final : public Actor {
 public:
  explicit Clerk(World& world)
      : Actor(world.machines_.loop(), "clerk"), world_(world) {
    WakeAt(window().begin);
  }

  void OnWake(Instant now) override {
    if (now == window().begin) {
      world_.at_begin_ = world_.TakeSnapshot();
      WakeAt(window().end);
    } else {
      world_.at_end_ = world_.TakeSnapshot();
    }
  }

 private:
  const Window& window() const { return world_.machines_.window(); }

  World& world_;
};

absl::StatusOr<std::unique_ptr<World>> World::Create(const Scenario& scenario,
                                                     const Platform& platform,
                                                     uint64_t seed) {
  std::unique_ptr<World> world(new World(scenario, platform, seed));
  for (const Scenario::Flow& flow : scenario.flow()) {
    std::unique_ptr<SocketLayer>& layer = world->layers_[flow.transport()];
    if (layer != nullptr) continue;
    absl::StatusOr<std::unique_ptr<SocketLayer>> made =
        CreateLayer(flow.transport(), world->machines_);
    if (!made.ok()) return made.status();
    layer = *std::move(made);
  }
  return world;
}

World::World(const Scenario& scenario, const Platform& platform, uint64_t seed)
    : machines_(scenario, platform, seed),
      end_(EndOf(scenario)),
      clerk_(std::make_unique<Clerk>(*this)) {}

World::~World() = default;

absl::Status World::Run(const std::atomic<bool>& stop) {
  EventLoop& loop = machines_.loop();
  while (loop.now() < end_ && machines_.breach().ok()) {
    if (stop.load(std::memory_order_relaxed)) {
      return absl::CancelledError("the run was stopped");
    }
    loop.RunUntil(std::min(end_, loop.now() + kStopCheck));
  }
  return machines_.breach();
}

absl::Status World::Check() {
  for (const auto& [transport, layer] : layers_) {
    if (absl::Status status = layer->Check(); !status.ok()) return status;
  }
  return machines_.Check();
}

World::Snapshot World::TakeSnapshot() {
  Snapshot now;
  for (const auto& [transport, layer] : layers_) {
    Add(layer->Counters(), now.layers);
  }
  now.task_wakeups = machines_.task_wakeups();
  now.guest_busy = machines_.Busy(Side::kGuest);
  now.host_busy = machines_.Busy(Side::kHost);
  return now;
}

Totals World::Result() {
  const Snapshot& a = at_begin_;
  const Snapshot& b = at_end_;
  const vsock::Work& from = a.layers.work;
  const vsock::Work& to = b.layers.work;
  Totals totals;
  totals.set_kicks_sent(to.kicks - from.kicks);
  totals.set_kicks_suppressed(to.kicks_suppressed - from.kicks_suppressed);
  totals.set_interrupts_sent(to.interrupts - from.interrupts);
  totals.set_interrupts_suppressed(to.interrupts_suppressed -
                                   from.interrupts_suppressed);
  totals.set_credit_updates(b.layers.credit_updates - a.layers.credit_updates);
  totals.set_worker_wakeups(b.layers.worker_wakeups - a.layers.worker_wakeups);
  totals.set_task_wakeups(b.task_wakeups - a.task_wakeups);
  totals.set_ring_messages(TakeSnapshot().layers.ring_messages);
  const Processors& guest = machines_.processors(Side::kGuest);
  const Processors& host = machines_.processors(Side::kHost);
  totals.set_laws_checked(b.layers.laws_checked + guest.count() + host.count() +
                          2 * 2);  // Little and balance of the run queues
  totals.set_events(machines_.loop().dispatched());
  totals.set_simulated_us(static_cast<double>(machines_.now().value()) / 1e3);
  const Window& window = machines_.window();
  const double window_ns =
      static_cast<double>((window.end - window.begin).value());
  const auto add = [&](const std::string& name, uint32_t servers, Nanos busy) {
    StationUse* station = totals.add_station();
    station->set_name(name);
    station->set_servers(servers);
    station->set_busy_us(static_cast<double>(busy.value()) / 1e3);
    station->set_utilisation(static_cast<double>(busy.value()) /
                             (window_ns * servers));
  };
  add("guest_processors", guest.count(), b.guest_busy - a.guest_busy);
  add("host_processors", host.count(), b.host_busy - a.host_busy);
  for (size_t i = 0; i < b.layers.workers.size(); ++i) {
    const LayerCounters::Workers& workers = b.layers.workers[i];
    add(workers.name, workers.servers, workers.busy - a.layers.workers[i].busy);
  }
  return totals;
}

}  // namespace sim
