// side.h: the two machines of a run.

#ifndef SIM_SIDE_H_
#define SIM_SIDE_H_

#include <cstddef>
#include <cstdint>

namespace sim {

enum class Side : uint8_t { kGuest, kHost };
inline constexpr size_t kSides = 2;

}  // namespace sim

#endif  // SIM_SIDE_H_
