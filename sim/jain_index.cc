#include "sim/jain_index.h"

namespace sim {

std::optional<double> JainIndex(std::span<const uint64_t> shares) {
  double sum = 0;
  double squares = 0;
  for (const uint64_t share : shares) {
    const auto x = static_cast<double>(share);
    sum += x;
    squares += x * x;
  }
  if (squares == 0) return std::nullopt;
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

}  // namespace sim
