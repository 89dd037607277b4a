// ring_pair.h: driver and device of one ring as a system of states and steps.
//
// A step is a turn of one half, with what it loads; the private acts that
// follow are part of it, as they wait for no one (act.h). Notifications are a
// mark on who is notified, which makes it leave its sleep, now or when it comes
// to that; who wakes up has seen all that was stored before the notification,
// as no transport lets one overtake memory. Who polls instead goes on when what
// it looks at was stored again; it may still see any store from the first such
// one on.
//
// The queue is enabled at some time if the scene says so; what the device was
// notified of before is forgotten then. Notifications that nobody sent wake up
// who sleeps, as often as the scene says.

#ifndef TESTS_EXPLORER_RING_PAIR_H_
#define TESTS_EXPLORER_RING_PAIR_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tests/explorer/act.h"
#include "tests/explorer/behaviour.h"
#include "tests/explorer/model_memory.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"
#include "tests/explorer/stage.h"

namespace virtqueue {

class RingPair {
 public:
  explicit RingPair(const Scene& scene,
                    Behaviour::Nodes nodes = Behaviour::Nodes::kMerged);

  struct State {
    std::array<uint32_t, 2> node;  // of the halves' behaviours
    // By who is notified: the other's stores then, and one; 0: not notified.
    std::array<uint32_t, 2> notified = {};
    uint8_t spurious = 0;  // notifications so far that nobody sent
    ModelMemory memory;
  };

  struct Step {
    HalfName half = HalfName::kDriver;
    uint8_t choice = 0;  // of a load: which of what is visible
    bool spurious = false;
  };

  // For people, what happened in a step.
  struct Event {
    HalfName half = HalfName::kDriver;
    Act act;                     // with the order that it really had
    ModelMemory::Stored loaded;  // of a load
    ModelMemory::Stored newest;  // of a load: what it might have seen
    bool spurious = false;
  };

  // Both halves up to their first turns.
  State Begin(std::vector<Event>* events = nullptr);
  // The steps that can follow. None: all sleep, or are done.
  absl::InlinedVector<Step, 4> Steps(const State& state) const;
  State Take(const State& state, Step step,
             std::vector<Event>* events = nullptr);

  // The turn of `half`.
  const Act& Next(const State& state, HalfName half) const;

  // From now on this site has another order. Its word, if any, is there.
  void Weaken(const std::optional<Weakened>& weakened);

  const Stage& stage() const { return stage_; }
  // Every site with an order other than relaxed that was met so far, by name.
  std::vector<Site> Sites() const;
  size_t nodes(HalfName half) const { return behaviour(half).nodes(); }

 private:
  static size_t Index(HalfName half) { return static_cast<size_t>(half); }
  Behaviour& behaviour(HalfName half) { return behaviours_[Index(half)]; }
  const Behaviour& behaviour(HalfName half) const {
    return behaviours_[Index(half)];
  }
  Site SiteOf(HalfName half, const Act& act) const;
  std::memory_order OrderOf(HalfName half, const Act& act) const;
  // The place whose stores a load of what was stored so does not acquire.
  std::optional<size_t> WithheldBy(HalfName half, const Act& load,
                                   const ModelMemory::Stored& stored) const;
  // Does the turn and says how it is answered.
  uint64_t DoTurn(State& state, Step step, std::vector<Event>* events);
  uint64_t DoLoad(State& state, Step step, Event& event);
  void WakeUp(State& state, Step step);
  void DoPrivateActs(State& state, HalfName half, std::vector<Event>* events);

  const Stage stage_;
  std::array<Behaviour, 2> behaviours_;
  std::optional<Weakened> weakened_;
  std::optional<size_t> withheld_;  // weakened_ is so for this place alone
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_RING_PAIR_H_
