// buffer_flags.h: the flags of //sim:buffers, as settings of its scenario and
// as the grid's options.

#ifndef SIM_BUFFER_FLAGS_H_
#define SIM_BUFFER_FLAGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "sim/arguments.h"
#include "sim/buffer_grid.h"
#include "sim/scenario_loader.h"

namespace sim {

inline constexpr char kBufferScenario[] = "buffer_grid";

// Its own flags, then the common ones.
std::vector<FlagSpec> BufferFlags();

// What the flags change in buffer_grid; --set comes last.
absl::StatusOr<std::vector<Setting>> ReadBufferSettings(
    const Arguments& arguments);

absl::StatusOr<BufferGrid::Options> ReadBufferOptions(
    const Arguments& arguments);

}  // namespace sim

#endif  // SIM_BUFFER_FLAGS_H_
