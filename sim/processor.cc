#include "sim/processor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/laws.h"
#include "sim/processors.h"
#include "virtqueue/check.h"

namespace sim {

using vsock::Instant;
using vsock::Nanos;

Processor::Processor(Processors& set, EventLoop& loop, std::string name,
                     uint32_t index)
    : Actor(loop, std::move(name)), set_(set), index_(index) {}

void Processor::OnWake(Instant now) {
  if (state_ == State::kStarting) idle_ = idle_ + (starts_at_ - idle_since_);
  state_ = State::kDeciding;
  while (!Decide(now)) {
  }
}

void Processor::Start(Task& task, Instant start) {
  VSOCK_CHECK(state_ == State::kIdle);
  state_ = State::kStarting;
  current_ = &task;
  starts_at_ = std::max(start, idle_since_);
  due_ = starts_at_ + PriceSwitch(task);
  WakeAt(due_);
}

bool Processor::Decide(Instant now) {
  Task& task = *current_;
  if (const auto owed = std::exchange(task.owed_, std::nullopt)) {
    Pay(task, *owed, now);
    return true;
  }
  task.state_ = Task::State::kActive;
  const std::optional<Nanos> burst = task.Run(now);
  if (burst.has_value()) return PayOrYield(task, *burst, now);
  if (std::exchange(task.woken_, false)) return false;
  task.state_ = Task::State::kBlocked;
  return SwitchTo(set_.TakeNext(*this), now);
}

bool Processor::PayOrYield(Task& task, Nanos burst, Instant now) {
  if (!set_.SliceIsOver(*this, in_slice_)) {
    Pay(task, burst, now);
    return true;
  }
  task.owed_ = burst;
  ++task.use_.preemptions;
  set_.Place(task, now);
  return SwitchTo(set_.TakeNext(*this), now);
}

void Processor::Pay(Task& task, Nanos burst, Instant now) {
  VSOCK_CHECK(burst >= Nanos(0));
  state_ = State::kRunning;
  use_.bursts = use_.bursts + burst;
  task.use_.busy = task.use_.busy + burst;
  in_slice_ = in_slice_ + burst;
  due_ = now + burst + std::exchange(stolen_, Nanos(0));
  WakeAt(due_);
}

bool Processor::SwitchTo(Task* task, Instant now) {
  const Nanos stolen = std::exchange(stolen_, Nanos(0));
  current_ = task;
  if (task == nullptr) {
    state_ = State::kIdle;
    idle_since_ = now + stolen;
    set_.OnIdle(*this);
    return true;
  }
  const Nanos delay = PriceSwitch(*task) + stolen;
  if (delay == Nanos(0)) return false;
  state_ = State::kStarting;
  idle_since_ = starts_at_ = now;
  due_ = now + delay;
  WakeAt(due_);
  return true;
}

Nanos Processor::PriceSwitch(const Task& task) {
  in_slice_ = Nanos(0);
  const uint32_t last = std::exchange(last_task_, task.id_);
  if (last == 0 || last == task.id_) return Nanos(0);
  const Nanos cost = set_.options().context_switch;
  ++use_.switches;
  use_.switching = use_.switching + cost;
  return cost;
}

void Processor::Interrupt(Nanos cost) {
  VSOCK_CHECK(cost >= Nanos(0));
  const Instant now = loop().now();
  use_.interrupts = use_.interrupts + cost;
  ++use_.interruptions;
  switch (state_) {
    case State::kIdle:
      OccupyWhileIdle(now, cost);
      return;
    case State::kDeciding:
      stolen_ = stolen_ + cost;
      return;
    case State::kStarting:
      if (now < starts_at_) {
        OccupyWhileIdle(now, cost);
        if (idle_since_ <= starts_at_) return;
        cost = idle_since_ - starts_at_;
        starts_at_ = idle_since_;
      }
      break;
    case State::kRunning:
      break;
  }
  due_ = due_ + cost;
  WakeAt(due_);
}

void Processor::OccupyWhileIdle(Instant now, Nanos cost) {
  if (now > idle_since_) {
    idle_ = idle_ + (now - idle_since_);
    idle_since_ = now;
  }
  idle_since_ = idle_since_ + cost;
}

Nanos Processor::Busy() const {
  const Instant now = loop().now();
  Nanos idle = idle_;
  if (state_ == State::kIdle || state_ == State::kStarting) {
    const Instant until =
        state_ == State::kIdle ? now : std::min(now, starts_at_);
    idle = idle + std::max(until - idle_since_, Nanos(0));
  }
  return now - Instant(0) - idle;
}

// What is priced but lies after now.
Nanos Processor::StillToCome() const {
  const Instant now = loop().now();
  switch (state_) {
    case State::kIdle:
      return std::max(idle_since_ - now, Nanos(0));
    case State::kStarting:
      return due_ - std::max(now, starts_at_) +
             std::max(std::min(idle_since_, starts_at_) - now, Nanos(0));
    case State::kRunning:
      return due_ - now;
    case State::kDeciding:
      return stolen_;
  }
  VSOCK_CHECK(false);
}

absl::Status Processor::Check() const {
  return CheckUtilisation(name(), Busy(), use_.priced() - StillToCome());
}

}  // namespace sim
