// buffer_grid.h: an image moved over a socket, for every pair of send and
// receive buffers.
//
// A cell is a flow with an arm of its own, so the experiment runs cells as it
// runs any arms. What a cell moves in the measured window is scaled to an
// image.

#ifndef SIM_BUFFER_GRID_H_
#define SIM_BUFFER_GRID_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"

namespace sim {

class BufferGrid {
 public:
  struct Options {
    uint32_t from = 8192;  // smallest and largest buffer, powers of two
    uint32_t to = 8388608;
    std::vector<std::string> directions = {"read", "write"};
    uint64_t image_bytes = uint64_t{1} << 30;
  };

  struct Cell {
    uint32_t send_buffer = 0;
    uint32_t receive_buffer = 0;
  };

  // An image's worth of one cell, in seconds; means over the replicates.
  struct Cost {
    double time = 0;
    double client = 0;  // processor time
    double server = 0;
    double work = 0;  // of the client's, its own and not system calls
  };

  // Within so much of the best is as good as the best.
  static constexpr double kTolerance = 0.05;

  explicit BufferGrid(Options options);

  // The powers of two from the smallest to the largest buffer.
  const std::vector<uint32_t>& sizes() const { return sizes_; }
  const Options& options() const { return options_; }

  // Puts the cells in place of the flows "read" and "write", and of the arms.
  void Expand(Scenario& scenario) const;

  // Nothing if the cell has not run, or nothing got through.
  absl::optional<Cost> CostOf(const ScenarioResult& result,
                              const std::string& direction,
                              const Cell& cell) const;

  // The smallest send buffer that is as good as the best with some receive
  // buffer, and the smallest such receive buffer.
  absl::optional<Cell> Knee(const ScenarioResult& result,
                            const std::string& direction) const;

 private:
  static std::string NameOf(const std::string& direction, const Cell& cell);
  void AddCell(const Scenario::Flow& pattern, const Cell& cell,
               Scenario& scenario) const;
  absl::optional<double> BestTime(const ScenarioResult& result,
                                  const std::string& direction) const;

  Options options_;
  std::vector<uint32_t> sizes_;
};

}  // namespace sim

#endif  // SIM_BUFFER_GRID_H_
