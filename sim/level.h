// level.h: a quantity that stays where it is between changes, over time.
//
// For queue lengths, credit in use, and the like: greatest value and mean over
// time, both exact until the one division of the mean.

#ifndef SIM_LEVEL_H_
#define SIM_LEVEL_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "vsock/units.h"

namespace sim {

class Level {
 public:
  // The level is 0 at `begin`, and counts from there.
  explicit Level(vsock::Instant begin) : begin_(begin), last_(begin) {}

  // From `now` on the level is `value`.
  void Set(vsock::Instant now, int64_t value) {
    area_ = Area(now);
    last_ = now;
    value_ = value;
    max_ = std::max(max_, value);
  }
  void Add(vsock::Instant now, int64_t change) { Set(now, value_ + change); }

  int64_t value() const { return value_; }
  int64_t max() const { return max_; }

  // Under the level from `begin` until `now`, in units x nanoseconds.
  int64_t Area(vsock::Instant now) const {
    return area_ + value_ * (now - last_).value();
  }

  // Nothing when no time has passed.
  std::optional<double> Mean(vsock::Instant now) const {
    if (now == begin_) return std::nullopt;
    return static_cast<double>(Area(now)) /
           static_cast<double>((now - begin_).value());
  }

 private:
  vsock::Instant begin_;
  vsock::Instant last_;
  int64_t value_ = 0;
  int64_t max_ = 0;
  int64_t area_ = 0;
};

}  // namespace sim

#endif  // SIM_LEVEL_H_
