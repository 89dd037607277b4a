#include "sim/effect_size.h"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "absl/status/status.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

// Hedges 1981: Gamma(df / 2) / (sqrt(df / 2) Gamma((df - 1) / 2)).
double WithoutBias(double df) {
  const double ratio = boost::math::tgamma_delta_ratio((df - 1) / 2, 0.5);
  return 1 / (std::sqrt(df / 2) * ratio);
}

}  // namespace

absl::StatusOr<double> CohensD(const Sample& a, const Sample& b) {
  VSOCK_CHECK(a.n >= 2 && b.n >= 2);
  const auto df_a = static_cast<double>(a.n - 1);
  const auto df_b = static_cast<double>(b.n - 1);
  const double variance =
      (df_a * a.sd * a.sd + df_b * b.sd * b.sd) / (df_a + df_b);
  if (variance == 0) {
    return absl::FailedPreconditionError(
        "neither arm has any spread to measure the difference by");
  }
  return (a.mean - b.mean) / std::sqrt(variance);
}

absl::StatusOr<double> HedgesG(const Sample& a, const Sample& b) {
  const absl::StatusOr<double> d = CohensD(a, b);
  if (!d.ok()) return d.status();
  return *d * WithoutBias(static_cast<double>(a.n + b.n - 2));
}

absl::StatusOr<double> CliffsDelta(std::span<const double> a,
                                   std::span<const double> b) {
  if (a.empty() || b.empty()) {
    return absl::InvalidArgumentError("an arm without values has no pairs");
  }
  const auto pairs = static_cast<double>(a.size() * b.size());
  return 2 * CountGreater(a, b) / pairs - 1;
}

}  // namespace sim
