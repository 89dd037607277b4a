// random.h: a named stream of chance.
//
// A run is its seed. Every consumer of chance forks a stream of its own by
// name, so a new consumer, or another order of construction, shifts no other.
// All variates are integer arithmetic: no libm, no std:: distribution, hence
// the same values with every compiler, build mode and machine.
// What a call draws does not depend on a mean or a mode (and on a range only
// with a chance of range / 2^64), so the same stream stays in step across the
// arms of an experiment: common random numbers.
// One draw a statement: the order of arguments is the compiler's own.

#ifndef SIM_RANDOM_H_
#define SIM_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "absl/strings/string_view.h"
#include "sim/generator.h"
#include "vsock/units.h"

namespace sim {

class Random {
 public:
  explicit Random(uint64_t seed) : seed_(seed), generator_(seed) {}

  // The stream named `name` below this one. It depends on the names from the
  // root down and on the root's seed, never on what was drawn or forked before.
  Random Fork(absl::string_view name) const;

  uint64_t Next() { return generator_.Next(); }

  // One of lo..hi, both included, each equally likely.
  int64_t Uniform(int64_t lo, int64_t hi);

  // True with probability numerator / denominator, exactly.
  bool Bernoulli(uint64_t numerator, uint64_t denominator);
  bool OneIn(uint64_t n) { return Bernoulli(1, n); }

  // Exponential with this mean, rounded down to a nanosecond.
  vsock::Nanos Exponential(vsock::Nanos mean);

  // Triangular over lo..hi with its peak at `mode`: what a figure given as
  // low, mode and high stands for.
  vsock::Nanos Triangular(vsock::Nanos lo, vsock::Nanos mode, vsock::Nanos hi);

  // Puts `items` into one of their orders, each equally likely.
  template <typename T>
  void Shuffle(std::span<T> items) {
    for (size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[Below(left)]);
    }
  }

 private:
  // One of 0..n-1; n > 0.
  uint64_t Below(uint64_t n);

  uint64_t seed_;
  Xoshiro256StarStar generator_;
};

}  // namespace sim

#endif  // SIM_RANDOM_H_
