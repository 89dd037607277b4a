#include "sim/event_loop.h"

#include <utility>

#include "sim/actor.h"
#include "virtqueue/check.h"

namespace sim {

void EventLoop::RunUntil(vsock::Instant end) {
  VSOCK_CHECK(end >= now_);
  stopped_ = false;
  const auto last = static_cast<uint64_t>(end.value());
  while (tree_.top().at() <= last) {
    Dispatch();
    if (stopped_) return;
  }
  now_ = end;
}

void EventLoop::Dispatch() {
  const WakeTree::Entry entry = tree_.Take();
  const Slot slot = entry.slot();
  now_ = vsock::Instant(static_cast<int64_t>(entry.at()));
  ++dispatched_;
  trace_hash_ = (trace_hash_ ^ (entry.at() * 0x9e3779b97f4a7c15 + slot)) *
                0xbf58476d1ce4e5b9;
  actors_[slot]->OnWake(now_);
  tree_.Settle(slot);
}

EventLoop::Slot EventLoop::Join(Actor& actor, std::string name) {
  if (!free_slots_.empty()) {
    const Slot slot = free_slots_.back();
    free_slots_.pop_back();
    actors_[slot] = &actor;
    names_[slot] = std::move(name);
    return slot;
  }
  actors_.push_back(&actor);
  names_.push_back(std::move(name));
  const auto count = static_cast<uint32_t>(actors_.size());
  if (count > tree_.capacity()) tree_.Resize(count);
  return count - 1;
}

void EventLoop::Leave(Slot slot) {
  tree_.Clear(slot);
  actors_[slot] = nullptr;
  free_slots_.push_back(slot);
}

}  // namespace sim
