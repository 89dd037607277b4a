// chance.h: the random factors of one task, each from a stream of its own.
//
// Streams are forked by the task's name, so the same task meets the same chance
// in every arm of an experiment.

#ifndef SIM_CHANCE_H_
#define SIM_CHANCE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "sim/random.h"
#include "sim/scenario.pb.h"

namespace sim {

class Chance {
 public:
  Chance(const Random& root, absl::string_view name,
         const Scenario::Randomness& ranges)
      : cost_(root.Fork("cost").Fork(name)),
        wakeup_(root.Fork("wakeup").Fork(name)),
        cost_range_(RangeOf(ranges.cost_jitter())),
        wakeup_range_(RangeOf(ranges.wakeup_latency())) {}

  // Per mille of the stated figure.
  uint32_t CostFactor() { return Draw(cost_, cost_range_); }
  uint32_t WakeupFactor() { return Draw(wakeup_, wakeup_range_); }

 private:
  struct Range {
    uint32_t low, high;  // per mille
  };

  template <typename Message>
  static Range RangeOf(const Message& message) {
    if (!message.enabled()) return {1000, 1000};
    return {message.low_percent() * 10, message.high_percent() * 10};
  }

  static uint32_t Draw(Random& stream, Range range) {
    if (range.low == range.high) return range.low;
    return static_cast<uint32_t>(stream.Uniform(range.low, range.high));
  }

  Random cost_;
  Random wakeup_;
  Range cost_range_;
  Range wakeup_range_;
};

}  // namespace sim

#endif  // SIM_CHANCE_H_
