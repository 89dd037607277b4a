// welch.h: the difference of two means when the spreads may differ.
//
// Welch 1947: its standard error, and the degrees of freedom of Satterthwaite's
// approximation. What the test and the interval share.

#ifndef SIM_WELCH_H_
#define SIM_WELCH_H_

#include "sim/sample.h"

namespace sim {

struct WelchError {
  double standard_error = 0;
  double df = 0;  // 0 if neither arm has any spread
};

WelchError WelchErrorOf(const Sample& a, const Sample& b);

}  // namespace sim

#endif  // SIM_WELCH_H_
