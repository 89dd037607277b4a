// buffer_grid_text.h: the grid of //sim:buffers for people.

#ifndef SIM_BUFFER_GRID_TEXT_H_
#define SIM_BUFFER_GRID_TEXT_H_

#include <string>

#include "sim/buffer_grid.h"
#include "sim/result.pb.h"

namespace sim {

// Tables of times and of processor times, the knee of each, what it means.
std::string BufferGridBody(const BufferGrid& grid,
                           const ScenarioResult& result);

// "8k", "256k", "1m"; whole bytes where neither fits.
std::string SizeText(uint64_t bytes);

}  // namespace sim

#endif  // SIM_BUFFER_GRID_TEXT_H_
