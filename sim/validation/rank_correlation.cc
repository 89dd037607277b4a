#include "sim/validation/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "virtqueue/check.h"

namespace sim {

std::vector<double> Ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [values](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    const double shared = static_cast<double>(first + 1 + end) / 2;
    for (; first < end; ++first) ranks[order[first]] = shared;
  }
  return ranks;
}

double RankCorrelation(std::span<const double> a, std::span<const double> b) {
  VSOCK_CHECK(a.size() == b.size());
  const std::vector<double> x = Ranks(a);
  const std::vector<double> y = Ranks(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

}  // namespace sim
