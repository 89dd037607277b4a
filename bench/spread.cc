#include "bench/spread.h"

#include <algorithm>

#include "virtqueue/check.h"

namespace bench {

Spread SpreadOf(std::vector<double> values) {
  VSOCK_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  const size_t tenth = (n - 1) / 10;
  return {.low = values[tenth],
          .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
          .high = values[n - 1 - tenth],
          .n = n};
}

}  // namespace bench
