// rank_correlation.h: whether two lists rise and fall together.

#ifndef SIM_VALIDATION_RANK_CORRELATION_H_
#define SIM_VALIDATION_RANK_CORRELATION_H_

#include <span>
#include <vector>

namespace sim {

// 1 for the least value; equal values share the mean of their ranks.
std::vector<double> Ranks(std::span<const double> values);

// Spearman's, of lists of equal length: Pearson's correlation of the ranks.
// 0 if either has no spread.
double RankCorrelation(std::span<const double> a, std::span<const double> b);

}  // namespace sim

#endif  // SIM_VALIDATION_RANK_CORRELATION_H_
