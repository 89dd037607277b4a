// conclusion.h: what follows from a comparison, in words that are right
// whatever came out.

#ifndef SIM_CONCLUSION_H_
#define SIM_CONCLUSION_H_

#include <string>

#include "sim/result.pb.h"

namespace sim {

// Welch's test and the ranks judged together at 5 %.
enum class Verdict {
  kUntested,   // too few runs, or no spread
  kDifferent,  // both significant
  kUnclear,    // they disagree
  kSame,       // neither is significant: no difference was found
};

Verdict Judge(const ComparisonResult& comparison);

// One to three sentences on `comparison`, with the arms' titles.
std::string Conclude(const Scenario& scenario,
                     const ComparisonResult& comparison);

}  // namespace sim

#endif  // SIM_CONCLUSION_H_
