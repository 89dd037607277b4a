// event_loop.h: virtual time, and whose turn it is.
//
// Invariants:
//   1. Wake-ups happen in the order (time, request): of two for the same
//      instant, the one asked for first comes first.
//   2. Time never runs backwards; nobody asks for a wake-up in the past.
//   3. An actor has at most one pending wake-up and runs to completion.
//   4. Nothing is allocated for an event; only a new actor may allocate.
// Left out: threads. One loop, one thread; replicates have a loop each.

#ifndef SIM_EVENT_LOOP_H_
#define SIM_EVENT_LOOP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/wake_tree.h"
#include "vsock/units.h"

namespace sim {

class Actor;

class EventLoop {
 public:
  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  vsock::Instant now() const { return now_; }

  // Runs every wake-up up to and including `end`, then leaves the time at
  // `end`; or returns early, after the actor that called Stop().
  void RunUntil(vsock::Instant end);
  void Stop() { stopped_ = true; }

  uint64_t dispatched() const { return dispatched_; }

  // Digest of who was woken when, in order. Runs of one seed have one digest.
  uint64_t trace_hash() const { return trace_hash_; }

 private:
  friend class Actor;
  using Slot = uint32_t;

  Slot Join(Actor& actor, std::string name);
  void Leave(Slot slot);
  void Schedule(Slot slot, vsock::Instant at);
  bool IsPending(Slot slot) const { return tree_.waits(slot); }
  void Cancel(Slot slot) { tree_.Clear(slot); }
  void Dispatch();

  vsock::Instant now_{0};
  bool stopped_ = false;
  uint64_t requests_ = 0;
  uint64_t dispatched_ = 0;
  uint64_t trace_hash_ = 0;
  WakeTree tree_;
  // By slot. The names lie apart, so that an actor is small and near others.
  std::vector<Actor*> actors_;
  std::vector<std::string> names_;
  std::vector<Slot> free_slots_;
};

inline void EventLoop::Schedule(Slot slot, vsock::Instant at) {
  VSOCK_CHECK(at >= now_);
  tree_.Set(slot, static_cast<uint64_t>(at.value()), requests_++);
  // With many actors the next ones are far away in memory: ask for them ahead.
  const Slot soon = tree_.Contender(slot);
  tree_.Fetch(soon);
  __builtin_prefetch(actors_[soon]);
}

}  // namespace sim

#endif  // SIM_EVENT_LOOP_H_
