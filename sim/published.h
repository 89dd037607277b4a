// published.h: what the mail says that this project set out from.
//
// Virtualization list, 14 April 2023, cover of "virtio/vsock: support
// datagrams" (RFC, v2). None of it was measured here.

#ifndef SIM_PUBLISHED_H_
#define SIM_PUBLISHED_H_

#include <cstdint>

namespace sim {

// The lone stream did this much better beside datagrams than beside streams;
// "not statistically significant".
inline constexpr double kPublishedDifferencePercent = 16;
inline constexpr uint32_t kPublishedRuns = 7;  // an arm

// A benchmark of its own: 16 vCPUs, 4 KB, N = 5.
inline constexpr double kPublishedDatagramMBs = 509.2;
inline constexpr double kPublishedUdpMBs = 287.59;

// What follows from the mail alone, by Welch's test with equal spreads.
struct Implied {
  double spread_percent;     // of the mean, at least: else it were significant
  double resolves_percent;   // found with power 80 % at that spread
  uint32_t runs_needed;      // an arm, to find 16 % with power 80 %
  double power_of_one_less;  // what one run an arm fewer has instead
};
Implied ImpliedByTheMail();

}  // namespace sim

#endif  // SIM_PUBLISHED_H_
