// quantile.h: the value below which a share of a list lies.

#ifndef SIM_VALIDATION_QUANTILE_H_
#define SIM_VALIDATION_QUANTILE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "virtqueue/check.h"

namespace sim {

// Between the order statistics on both sides, as R's type 7. 0 <= share <= 1.
inline double Quantile(std::vector<double> values, double share) {
  VSOCK_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(at);
  if (below + 1 == values.size()) return values.back();
  const double rest = at - static_cast<double>(below);
  return values[below] + rest * (values[below + 1] - values[below]);
}

}  // namespace sim

#endif  // SIM_VALIDATION_QUANTILE_H_
