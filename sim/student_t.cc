#include "sim/student_t.h"

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "virtqueue/check.h"

namespace sim {
namespace {

namespace policies = boost::math::policies;

using Policy = policies::policy<policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, Policy>;
using NoncentralT = boost::math::non_central_t_distribution<double, Policy>;

// Beyond this the series may not converge, and |T| exceeds any t in use.
constexpr double kCertain = 1e4;

}  // namespace

double TwoSidedT(double df, double alpha) {
  VSOCK_CHECK(df > 0 && alpha > 0 && alpha < 1);
  return quantile(complement(StudentT(df), alpha / 2));
}

double TwoSidedP(double df, double t) {
  VSOCK_CHECK(df > 0 && std::isfinite(t));
  return 2 * cdf(complement(StudentT(df), std::fabs(t)));
}

double NoncentralTwoSidedP(double df, double t, double noncentrality) {
  VSOCK_CHECK(df > 0 && t >= 0 && noncentrality >= 0);
  if (noncentrality > kCertain) return 1;
  const NoncentralT distribution(df, noncentrality);
  return cdf(complement(distribution, t)) + cdf(distribution, -t);
}

}  // namespace sim
