// laws.h: operational laws, which hold in every run whatever the distributions.
//
// Denning and Buzen 1978. Little's law: the area under the number of items at a
// station is the sum of the times they spent there. Flow balance: what arrived
// has departed or is inside. Utilisation law: a processor is busy for as long
// as what it was given to do takes. Each side of an equation is counted on its
// own, in integers, so the comparison is exact and a breach is a defect.

#ifndef SIM_LAWS_H_
#define SIM_LAWS_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vsock/units.h"

namespace sim {

// One place where items arrive, stay and depart.
class Station {
 public:
  explicit Station(std::string name) : name_(std::move(name)) {}

  void Arrive(vsock::Instant now) {
    Advance(now);
    ++arrivals_;
  }

  // `arrived` is when the item itself says it came.
  void Depart(vsock::Instant now, vsock::Instant arrived) {
    Advance(now);
    ++departures_;
    sojourn_ += (now - arrived).value();
  }

  uint64_t arrivals() const { return arrivals_; }
  uint64_t departures() const { return departures_; }
  uint64_t length() const { return arrivals_ - departures_; }

  // `inside` says when each item that is still there came. Little's law from
  // the beginning until `now`, and flow balance.
  absl::Status Check(vsock::Instant now,
                     std::span<const vsock::Instant> inside) const;

 private:
  void Advance(vsock::Instant now) {
    area_ += static_cast<int64_t>(length()) * (now - last_).value();
    last_ = now;
  }

  const std::string name_;
  uint64_t arrivals_ = 0;
  uint64_t departures_ = 0;
  int64_t sojourn_ = 0;  // of the departed, in nanoseconds
  int64_t area_ = 0;     // under length(), until last_, in item-nanoseconds
  vsock::Instant last_{0};
};

// `busy` was measured at the processor, `priced` is what it was given to do in
// the same time.
absl::Status CheckUtilisation(absl::string_view name, vsock::Nanos busy,
                              vsock::Nanos priced);

}  // namespace sim

#endif  // SIM_LAWS_H_
