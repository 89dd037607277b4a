// actor.h: something that acts at instants of its own asking.
//
// An actor has one pending wake-up, runs to completion when it comes, and asks
// for the next one itself. Its state lies in plain members, so it can be
// printed, compared and stopped half way.

#ifndef SIM_ACTOR_H_
#define SIM_ACTOR_H_

#include <cstdint>
#include <string>

#include "sim/event_loop.h"
#include "vsock/units.h"

namespace sim {

class Actor {
 public:
  // The loop must outlive the actor. An actor may be destroyed at any time,
  // even from its own OnWake.
  Actor(EventLoop& loop, std::string name);
  virtual ~Actor();
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  // The wake-up asked for has come; it is no longer pending.
  virtual void OnWake(vsock::Instant now) = 0;

  const std::string& name() const { return loop_.names_[slot_]; }

 protected:
  // Asks to be woken at `at`, which is not in the past. Takes the place of the
  // pending wake-up, if there is one, and counts as a new request.
  void WakeAt(vsock::Instant at) { loop_.Schedule(slot_, at); }
  void Cancel() { loop_.Cancel(slot_); }
  bool pending() const { return loop_.IsPending(slot_); }
  EventLoop& loop() const { return loop_; }

 private:
  EventLoop& loop_;
  const uint32_t slot_;
};

}  // namespace sim

#endif  // SIM_ACTOR_H_
