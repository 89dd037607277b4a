#include "sim/power.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "sim/student_t.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

// Doublings and halvings that leave nothing of a double's 53 bits to find.
constexpr int kSteps = 60;

double CriticalT(const TwoArms& arms) {
  VSOCK_CHECK(arms.runs >= 2);
  return TwoSidedT(2.0 * (arms.runs - 1), arms.alpha);
}

// The standard error of the difference of means when the spread is 1.
double UnitError(const TwoArms& arms) { return std::sqrt(2.0 / arms.runs); }

}  // namespace

double Power(const TwoArms& arms, double sd, double difference) {
  VSOCK_CHECK(sd > 0 && std::isfinite(difference));
  const double noncentrality = std::fabs(difference) / (sd * UnitError(arms));
  return NoncentralTwoSidedP(2.0 * (arms.runs - 1), CriticalT(arms),
                             noncentrality);
}

double LeastSignificantDifference(const TwoArms& arms, double sd) {
  return CriticalT(arms) * UnitError(arms) * sd;
}

double LeastSpreadThatHides(const TwoArms& arms, double difference) {
  return std::fabs(difference) / (CriticalT(arms) * UnitError(arms));
}

double MinimumDetectableDifference(const TwoArms& arms, double sd,
                                   double power) {
  VSOCK_CHECK(arms.alpha < power && power < 1);
  double low = 0;
  double high = sd;
  while (Power(arms, sd, high) < power) high *= 2;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = low + (high - low) / 2;
    (Power(arms, sd, middle) < power ? low : high) = middle;
  }
  return high;
}

absl::StatusOr<uint32_t> RunsPerArm(double alpha, double sd, double difference,
                                    double power) {
  const auto finds = [&](uint32_t runs) {
    return Power(TwoArms{runs, alpha}, sd, difference) >= power;
  };
  uint32_t enough = 2;
  while (enough < kMaxRuns && !finds(enough)) enough *= 2;
  if (enough >= kMaxRuns && !finds(kMaxRuns)) {
    return absl::OutOfRangeError(
        absl::StrFormat("more than %d runs an arm", kMaxRuns));
  }
  uint32_t too_few = 1;
  while (enough - too_few > 1) {
    const uint32_t middle = too_few + (enough - too_few) / 2;
    (finds(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace sim
