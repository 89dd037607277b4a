// passage.h: a first-in-first-out place watched from outside, by its counters.
//
// Feeds a Station: what went in and out so far is compared with the last look.

#ifndef SIM_PASSAGE_H_
#define SIM_PASSAGE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "sim/laws.h"
#include "vsock/units.h"

namespace sim {

class Passage {
 public:
  explicit Passage(std::string name) : station_(std::move(name)) {}

  // `in` items have gone in so far, `out` have come out.
  void Observe(vsock::Instant now, uint64_t in, uint64_t out) {
    if (in != in_ || out != out_) Pass(now, in, out);
  }

  // Little's law and flow balance.
  absl::Status Check(vsock::Instant now) const {
    return station_.Check(
        now, std::vector<vsock::Instant>(arrived_.begin(), arrived_.end()));
  }

 private:
  void Pass(vsock::Instant now, uint64_t in, uint64_t out) {
    for (; in_ < in; ++in_) {
      arrived_.push_back(now);
      station_.Arrive(now);
    }
    for (; out_ < out; ++out_) {
      station_.Depart(now, arrived_.front());
      arrived_.pop_front();
    }
  }

  uint64_t in_ = 0;
  uint64_t out_ = 0;
  std::deque<vsock::Instant> arrived_;
  Station station_;
};

}  // namespace sim

#endif  // SIM_PASSAGE_H_
