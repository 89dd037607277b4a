// significance.h: could chance alone have made this difference?
//
// All tests are two-sided. What cannot be tested is an error that says why,
// never a NaN.

#ifndef SIM_SIGNIFICANCE_H_
#define SIM_SIGNIFICANCE_H_

#include <span>

#include "absl/status/statusor.h"
#include "sim/sample.h"

namespace sim {

struct TTest {
  double t = 0;
  double df = 0;
  double p = 0;
};

// Welch 1947, of a.mean - b.mean; spreads may differ. An error if neither arm
// has any.
absl::StatusOr<TTest> WelchTest(const Sample& a, const Sample& b);

// Student's, of the differences a[i] - b[i]: for arms with common random
// numbers. An error if they all are the same, or the lengths differ.
absl::StatusOr<TTest> PairedTest(std::span<const double> a,
                                 std::span<const double> b);

struct UTest {
  enum class Method {
    kExact,   // every order of the ranks counted
    kNormal,  // with corrections for ties and for continuity
  };
  double u = 0;  // pairs in which a's value is the greater; a tie is half one
  double p = 0;
  Method method = Method::kExact;
};

// Mann and Whitney 1947. Exact without ties and below 50 values an arm, as R
// chooses. An error if an arm is empty or all values are the same.
absl::StatusOr<UTest> MannWhitneyTest(std::span<const double> a,
                                      std::span<const double> b);

}  // namespace sim

#endif  // SIM_SIGNIFICANCE_H_
