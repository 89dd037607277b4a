// probe.h: claims that one kind of experiment in the model can be held against.

#ifndef SIM_VALIDATION_PROBE_H_
#define SIM_VALIDATION_PROBE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/platform.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

// A published figure, or a law that must hold.
struct Claim {
  std::string name;       // for reports: letters, digits and '_'
  std::string claim;      // what was measured, in a few words
  std::string published;  // the figure as it was given
  double low = 0;         // what rounding leaves of it, both included
  double high = 0;
  std::string note;  // what is known, should the prediction miss

  // Costs were taken from this figure: agreement proves nothing.
  bool derived = false;
};

struct Probe {
  std::string title;   // what the claims have in common
  std::string source;  // by whom, where, when
  std::string platform = "linux_kvm";

  // Predictions, each with costs drawn anew. One, with every cost at its mode,
  // if none matters.
  uint32_t draws = 1;

  std::vector<Claim> claims;
  std::vector<Scenario::Flow::Transport> bears_on;

  // A value for each claim; a function of its arguments. Called from several
  // threads.
  std::function<absl::StatusOr<std::vector<double>>(const Platform& platform,
                                                    uint64_t seed)>
      predict;
};

// A figure with its last digit rounded.
Claim RoundedClaim(std::string name, std::string claim, std::string published,
                   double value, double last_digit, std::string note = "");

}  // namespace sim

#endif  // SIM_VALIDATION_PROBE_H_
