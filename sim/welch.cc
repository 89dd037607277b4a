#include "sim/welch.h"

#include <cmath>

#include "virtqueue/check.h"

namespace sim {

WelchError WelchErrorOf(const Sample& a, const Sample& b) {
  VSOCK_CHECK(a.n >= 2 && b.n >= 2);
  const auto n_a = static_cast<double>(a.n);
  const auto n_b = static_cast<double>(b.n);
  const double of_a = a.sd * a.sd / n_a;
  const double of_b = b.sd * b.sd / n_b;
  const double sum = of_a + of_b;
  if (sum == 0) return WelchError{};
  // Of shares, not of squares, so that a small spread cannot underflow.
  const double share_a = of_a / sum;
  const double share_b = of_b / sum;
  const double df =
      1 / (share_a * share_a / (n_a - 1) + share_b * share_b / (n_b - 1));
  return WelchError{std::sqrt(sum), df};
}

}  // namespace sim
