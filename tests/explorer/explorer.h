// explorer.h: every order of the steps of a driver and a device.
//
// Breadth first, so what it finds is found by the fewest steps. It looks for
//   - a state without a next step in which the driver is not done: it sleeps
//     for a buffer, and so does the device, and a notification that had to come
//     did not;
//   - a half that reads what can't be.
//
// That it finds them if they are there: a step is all that a half does from one
// turn to the next, and the acts in between are loads of nothing and stores
// that take away nothing that another could have seen (act.h). Of equal states,
// that is such as the same steps lead from to equal ones (behaviour.h,
// ModelMemory::AppendTo), one in each layer is kept, with the number of
// schedules that lead to any of them; no step is left out because of that.
// Every program ends: a half turns again only if it saw something new or was
// notified, and either happens a bounded number of times. States are compared
// by 128 bits of a hash.

#ifndef TESTS_EXPLORER_EXPLORER_H_
#define TESTS_EXPLORER_EXPLORER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"
#include "tests/explorer/ring_pair.h"

namespace virtqueue {

class Explorer {
 public:
  enum class Outcome : uint8_t {
    kSound,      // all was explored, nothing was found
    kLost,       // a notification is lost
    kFault,      // a half read what can't be
    kUndecided,  // there are too many states
  };

  struct Result {
    Outcome outcome = Outcome::kSound;
    uint64_t states = 0;
    uint64_t steps = 0;    // taken from them
    double schedules = 0;  // orders of all steps, from beginning to end
    uint32_t longest = 0;  // steps of the longest one
    // To what was found.
    std::vector<RingPair::Step> schedule;
  };

  // `pair` outlives it. Gives up beyond so many states.
  Explorer(RingPair& pair, uint64_t most_states);

  Result Run();

 private:
  struct Reached {  // in one layer
    RingPair::State state;
    double schedules;  // that lead here
    uint32_t record;
  };
  struct Record {
    uint32_t parent;
    RingPair::Step step;
  };

  void Expand(const Reached& from);
  void WakeUp(const Reached& from);  // though nobody notified
  void Reach(const Reached& from, RingPair::Step step);
  bool HasFault(const RingPair::State& state) const;
  absl::uint128 KeyOf(const RingPair::State& state);
  void End(Outcome outcome, uint32_t record);

  RingPair& pair_;
  const uint64_t most_states_;
  std::vector<Reached> layer_;
  std::vector<Reached> next_;
  absl::flat_hash_map<absl::uint128, size_t> in_next_;
  std::vector<uint64_t> numbers_;  // of one state, for KeyOf
  std::vector<Record> records_;
  bool ended_ = false;
  Result result_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_EXPLORER_H_
