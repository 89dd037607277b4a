// jain_index.h: how evenly a quantity is shared out.
//
// Jain, Chiu and Hawe 1984: (sum x)^2 / (n sum x^2). 1 when all have the same,
// k/n when k of n share it evenly and the others have nothing.

#ifndef SIM_JAIN_INDEX_H_
#define SIM_JAIN_INDEX_H_

#include <cstdint>
#include <optional>
#include <span>

namespace sim {

// Nothing when nobody has anything, or there is nobody.
std::optional<double> JainIndex(std::span<const uint64_t> shares);

}  // namespace sim

#endif  // SIM_JAIN_INDEX_H_
