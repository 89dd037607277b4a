// unix_grid.h: AF_UNIX throughput by send buffer and message size, predicted by
// the simulator and measured beside it in the same run.
//
// The prediction knows a platform's costs and nothing of any throughput. Both
// ends have a processor of their own, in the model and in reality.

#ifndef BENCH_UNIX_GRID_H_
#define BENCH_UNIX_GRID_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/unix_throughput.h"
#include "sim/platform.pb.h"
#include "sim/scenario.pb.h"

namespace bench {

struct UnixGridOptions {
  std::vector<uint32_t> send_buffers = {8192, 65536, 212992, 1 << 20};
  std::vector<uint32_t> messages = {64, 1024, 4096, 16384, 65536};
  Timing timing;
};

struct UnixGridCell {
  sim::Scenario::Flow::Type type = sim::Scenario::Flow::STREAM;
  uint32_t send_buffer = 0;  // as handed to setsockopt
  uint32_t message = 0;
  // Both zero: no such message fits the buffer, in the model and here.
  double predicted_bytes_per_s = 0;
  double measured_bytes_per_s = 0;
  double measured_low = 0;  // the spread of the repetitions
  double measured_high = 0;
  // Just after: one cache line to the other processor. A cell is not to be
  // held against a platform that was measured while this was another.
  double line_nanos = 0;
};

// The scenario of a cell: one sender, one receiver, two processors.
sim::Scenario UnixGridScenario(sim::Scenario::Flow::Type type,
                               uint32_t send_buffer, uint32_t message);

absl::StatusOr<std::vector<UnixGridCell>> RunUnixGrid(
    const sim::Platform& platform, const UnixGridOptions& options);

// |predicted - measured| / measured; 1 if only one of the two is zero.
double RelativeError(const UnixGridCell& cell);

// Over the cells of which a message fits the buffer.
double MedianError(const std::vector<UnixGridCell>& cells);

// Every cell, and the median error.
std::string UnixGridTable(const std::vector<UnixGridCell>& cells);

}  // namespace bench

#endif  // BENCH_UNIX_GRID_H_
