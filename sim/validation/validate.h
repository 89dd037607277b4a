// validate.h: runs probes over the ranges of the costs and judges their claims.
//
// Monte Carlo: draw i of every probe has the same costs, so that predictions
// of different probes can be compared. The result is the same for any number
// of jobs.

#ifndef SIM_VALIDATION_VALIDATE_H_
#define SIM_VALIDATION_VALIDATE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "sim/platform.pb.h"
#include "sim/validation/probe.h"
#include "sim/validation/validation.pb.h"

namespace sim {

struct ValidateOptions {
  uint64_t seed = 1;
  uint32_t jobs = 1;
  absl::optional<Platform> platform;  // in place of the probes' own
  std::function<void(uint32_t done, uint32_t all)> progress = [](uint32_t,
                                                                 uint32_t) {};
};

// A row for each claim, in order. Errors: a platform that cannot be read, a
// run that failed, Cancelled if `stop` became true.
absl::StatusOr<ValidationTable> Validate(const std::vector<Probe>& probes,
                                         const ValidateOptions& options,
                                         const std::atomic<bool>& stop);

}  // namespace sim

#endif  // SIM_VALIDATION_VALIDATE_H_
