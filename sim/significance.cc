#include "sim/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "sim/student_t.h"
#include "sim/welch.h"

namespace sim {
namespace {

// R's choice: below this size, without ties, every order is counted.
constexpr size_t kExactBelow = 50;

// Groups of equal values, over both arms.
struct Ties {
  bool any = false;
  bool all = false;  // one group holds every value
  double cubes = 0;  // sum of t^3 - t over groups of t values
};

Ties FindTies(std::span<const double> a, std::span<const double> b) {
  std::vector<double> pooled(a.begin(), a.end());
  pooled.insert(pooled.end(), b.begin(), b.end());
  std::sort(pooled.begin(), pooled.end());
  Ties ties;
  ties.all = pooled.front() == pooled.back();
  for (auto from = pooled.begin(); from != pooled.end();) {
    const auto to = std::upper_bound(from, pooled.end(), *from);
    const auto t = static_cast<double>(to - from);
    ties.any |= t > 1;
    ties.cubes += t * t * t - t;
    from = to;
  }
  return ties;
}

// How many orders of m and n values without ties have U <= limit.
double CountOrders(size_t m, size_t n, size_t limit) {
  // By which arm has the greatest value: N(i, j, u) is N(i, j - 1, u) if it is
  // b's, N(i - 1, j, u - j) if it is a's. In doubles, as 64 bits do not hold
  // it; sums of positive terms lose nothing that counts.
  std::vector<std::vector<double>> count(m + 1, std::vector<double>(limit + 1));
  for (std::vector<double>& of_i : count) of_i[0] = 1;
  for (size_t j = 1; j <= n; ++j) {
    for (size_t i = 1; i <= m; ++i) {
      for (size_t u = j; u <= limit; ++u) count[i][u] += count[i - 1][u - j];
    }
  }
  return std::accumulate(count[m].begin(), count[m].end(), 0.0);
}

double ExactP(double u, size_t m, size_t n) {
  double all = 1;  // m + n over m
  for (size_t i = 1; i <= m; ++i) {
    all *= static_cast<double>(n + i) / static_cast<double>(i);
  }
  // The distribution is symmetric: the lesser tail, twice.
  const double lesser = std::min(u, static_cast<double>(m * n) - u);
  return std::min(1.0,
                  2 * CountOrders(m, n, static_cast<size_t>(lesser)) / all);
}

double NormalP(double u, double m, double n, const Ties& ties) {
  const double variance =
      m * n / 12 * (m + n + 1 - ties.cubes / ((m + n) * (m + n - 1)));
  const double distance = std::max(std::fabs(u - m * n / 2) - 0.5, 0.0);
  return std::erfc(distance / std::sqrt(2 * variance));
}

}  // namespace

absl::StatusOr<TTest> WelchTest(const Sample& a, const Sample& b) {
  const WelchError error = WelchErrorOf(a, b);
  if (error.standard_error == 0) {
    return absl::FailedPreconditionError(
        "neither arm has any spread, so there is no t");
  }
  const double t = (a.mean - b.mean) / error.standard_error;
  return TTest{t, error.df, TwoSidedP(error.df, t)};
}

absl::StatusOr<TTest> PairedTest(std::span<const double> a,
                                 std::span<const double> b) {
  const absl::StatusOr<Sample> sample = SummarizePairs(a, b);
  if (!sample.ok()) return sample.status();
  if (sample->sd == 0) {
    return absl::FailedPreconditionError(
        "all pairs differ by the same, so there is no t");
  }
  const auto n = static_cast<double>(sample->n);
  const double t = sample->mean / (sample->sd / std::sqrt(n));
  return TTest{t, n - 1, TwoSidedP(n - 1, t)};
}

absl::StatusOr<UTest> MannWhitneyTest(std::span<const double> a,
                                      std::span<const double> b) {
  for (const std::span<const double> arm : {a, b}) {
    const absl::StatusOr<double> mean = Mean(arm);
    if (!mean.ok()) return mean.status();
  }
  const Ties ties = FindTies(a, b);
  if (ties.all) {
    return absl::FailedPreconditionError(
        "all values are the same, so they have no ranks");
  }
  const double u = CountGreater(a, b);
  if (!ties.any && a.size() < kExactBelow && b.size() < kExactBelow) {
    return UTest{u, ExactP(u, a.size(), b.size()), UTest::Method::kExact};
  }
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  return UTest{u, NormalP(u, m, n, ties), UTest::Method::kNormal};
}

}  // namespace sim
