// comparison_text.h: the tests of one comparison, and what they could tell.

#ifndef SIM_COMPARISON_TEXT_H_
#define SIM_COMPARISON_TEXT_H_

#include <string>

#include "sim/result.pb.h"

namespace sim {

// Difference, tests, effect sizes.
std::string ComparisonText(const Scenario& scenario,
                           const ComparisonResult& comparison);

// The power statement: what an experiment with this spread resolves.
std::string PowerText(const ComparisonResult& comparison);

}  // namespace sim

#endif  // SIM_COMPARISON_TEXT_H_
