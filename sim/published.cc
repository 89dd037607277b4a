#include "sim/published.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "sim/comparison.h"
#include "sim/power.h"
#include "virtqueue/check.h"

namespace sim {

Implied ImpliedByTheMail() {
  const TwoArms arms = {.runs = kPublishedRuns, .alpha = kAlpha};
  const double spread = LeastSpreadThatHides(arms, kPublishedDifferencePercent);
  const absl::StatusOr<uint32_t> runs =
      RunsPerArm(kAlpha, spread, kPublishedDifferencePercent, kPower);
  VSOCK_CHECK(runs.ok());
  const TwoArms one_less = {.runs = *runs - 1, .alpha = kAlpha};
  return {spread, MinimumDetectableDifference(arms, spread, kPower), *runs,
          Power(one_less, spread, kPublishedDifferencePercent)};
}

}  // namespace sim
