#include "sim/processors.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"

namespace sim {

using vsock::Instant;
using vsock::Nanos;

Processors::Processors(EventLoop& loop, std::string name, Options options)
    : loop_(loop),
      name_(std::move(name)),
      options_(std::move(options)),
      pinned_(options_.count),
      run_queue_(absl::StrCat(name_, ".run_queue")) {
  VSOCK_CHECK(options_.count >= 1 && options_.count <= kMaxCount);
  VSOCK_CHECK(options_.time_slice > Nanos(0));
  for (uint32_t i = 0; i < options_.count; ++i) {
    idle_.set(i);
    all_.push_back(std::make_unique<Processor>(
        *this, loop, absl::StrCat(name_, ".cpu", i), i));
  }
}

void Processors::Ready(Task& task, Nanos wakeup_latency) {
  VSOCK_CHECK(wakeup_latency >= Nanos(0));
  if (task.id_ == 0) Adopt(task);
  ++task.use_.wakeups;
  if (task.state_ != Task::State::kBlocked) {
    ++task.use_.wakeups_while_awake;
    task.woken_ |= task.state_ == Task::State::kActive;
    return;
  }
  task.state_ = Task::State::kRunnable;
  Place(task, loop_.now() + wakeup_latency);
}

void Processors::Interrupt(uint32_t processor, Nanos cost) {
  VSOCK_CHECK(processor < count());
  all_[processor]->Interrupt(cost);
}

void Processors::Adopt(Task& task) {
  VSOCK_CHECK(!task.pinned_.has_value() || *task.pinned_ < count());
  task.id_ = ++tasks_;
}

void Processors::Place(Task& task, Instant start) {
  if (const std::optional<uint32_t> index = TakeIdle(task)) {
    task.last_processor_ = *index;
    all_[*index]->Start(task, start);
  } else {
    Enqueue(task);
  }
}

std::optional<uint32_t> Processors::TakeIdle(const Task& task) {
  const uint32_t home = task.pinned_.value_or(task.last_processor_);
  std::optional<uint32_t> index;
  if (idle_.test(home)) {
    index = home;
  } else if (!task.pinned_.has_value() && idle_.any()) {
    index = PickIdle();
  }
  if (index.has_value()) idle_.reset(*index);
  return index;
}

// Of those idle, of which there is one.
uint32_t Processors::PickIdle() {
  int64_t skip = 0;
  if (options_.order.has_value()) {
    skip = options_.order->Uniform(0, static_cast<int64_t>(idle_.count()) - 1);
  }
  uint32_t index = 0;
  while (!idle_.test(index) || skip-- > 0) ++index;
  return index;
}

void Processors::Enqueue(Task& task) {
  RunQueue& queue = task.pinned_ ? pinned_[*task.pinned_] : floating_;
  const RunQueue::Entry entry{&task, tickets_++, loop_.now()};
  if (options_.order.has_value()) {
    queue.PushAmongEquals(entry, *options_.order);
  } else {
    queue.Push(entry);
  }
  run_queue_.Arrive(loop_.now());
}

bool Processors::HasNext(const Processor& processor) const {
  return !floating_.empty() || !pinned_[processor.index()].empty();
}

Task* Processors::TakeNext(const Processor& processor) {
  if (!HasNext(processor)) return nullptr;
  RunQueue& own = pinned_[processor.index()];
  const bool own_first =
      floating_.empty() ||
      (!own.empty() && own.front().ticket < floating_.front().ticket);
  const RunQueue::Entry next = own_first ? own.Pop() : floating_.Pop();
  Task& task = *next.task;
  task.use_.waiting = task.use_.waiting + (loop_.now() - next.since);
  task.last_processor_ = processor.index();
  run_queue_.Depart(loop_.now(), next.since);
  return &task;
}

void Processors::OnIdle(const Processor& processor) {
  idle_.set(processor.index());
}

absl::Status Processors::Check() const {
  std::vector<Instant> inside;
  const auto add = [&inside](const RunQueue& queue) {
    for (size_t i = 0; i < queue.size(); ++i) {
      inside.push_back(queue.At(i).since);
    }
  };
  add(floating_);
  for (const RunQueue& queue : pinned_) add(queue);
  absl::Status status = run_queue_.Check(loop_.now(), inside);
  for (const auto& processor : all_) status.Update(processor->Check());
  return status;
}

}  // namespace sim
