// cost_draw.h: a platform whose every cost is somewhere in its range.

#ifndef SIM_VALIDATION_COST_DRAW_H_
#define SIM_VALIDATION_COST_DRAW_H_

#include "sim/platform.pb.h"
#include "sim/random.h"

namespace sim {

// Each cost drawn by itself, triangular over low, mode and high, from a stream
// of its own: a new cost shifts no other. What is drawn takes the mode's place.
Platform DrawCosts(const Platform& platform, const Random& random);

}  // namespace sim

#endif  // SIM_VALIDATION_COST_DRAW_H_
