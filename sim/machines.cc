#include "sim/machines.h"

#include <string>
#include <utility>

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

// A running task gives way to a waiting one after so long. Linux lets a task
// that slept preempt one that did not; this bounds the wait likewise.
constexpr Nanos kTimeSlice{100'000};

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

}  // namespace

Machines::Machines(const Scenario& scenario, const Platform& platform,
                   uint64_t seed)
    : scenario_(scenario),
      costs_(platform),
      window_{AtUs(scenario.warmup_us()),
              AtUs(scenario.warmup_us() + scenario.duration_us())},
      root_(seed),
      guest_cpus_(loop_, "guest",
                  CpuOptions(scenario.guest().vcpus(), costs_, root_, "guest",
                             scenario)),
      host_cpus_(
          loop_, "host",
          CpuOptions(scenario.host().cpus(), costs_, root_, "host", scenario)) {
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

Nanos Machines::Busy(Side side) {
  const Processors& set = processors(side);
  Nanos sum(0);
  for (uint32_t i = 0; i < set.count(); ++i) {
    sum = sum + set.processor(i).Busy();
  }
  return sum;
}

void Machines::Stop(absl::Status breach) {
  if (breach_.ok()) breach_ = std::move(breach);
  loop_.Stop();
}

absl::Status Machines::Check() const {
  absl::Status status = guest_cpus_.Check();
  if (status.ok()) status = host_cpus_.Check();
  return status;
}

}  // namespace sim
