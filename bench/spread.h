// spread.h: what repeated measurements of one thing say.
//
// The median and the tenth on either side: a machine with other work has
// measurements that are too long by any amount, so extremes say little.

#ifndef BENCH_SPREAD_H_
#define BENCH_SPREAD_H_

#include <cstddef>
#include <vector>

namespace bench {

struct Spread {
  double low = 0;  // a tenth of the values are not above it
  double median = 0;
  double high = 0;  // a tenth of the values are not below it
  size_t n = 0;
};

// Needs one value or more. Each of the three is the nearest-rank quantile or,
// for the median of an even number, the mean of the two in the middle.
Spread SpreadOf(std::vector<double> values);

inline double Median(const std::vector<double>& values) {
  return SpreadOf(values).median;
}

}  // namespace bench

#endif  // BENCH_SPREAD_H_
