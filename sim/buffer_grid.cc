#include "sim/buffer_grid.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/metric.h"

namespace sim {
namespace {

constexpr char kRead[] = "read";

// What moves the image: replies of a reader, requests of a writer.
double BytesOf(const FlowResult& flow, const std::string& direction) {
  return static_cast<double>(direction == kRead
                                 ? flow.reply_bytes_delivered()
                                 : flow.payload_bytes_delivered());
}

}  // namespace

BufferGrid::BufferGrid(Options options) : options_(std::move(options)) {
  for (uint64_t size = options_.from; size <= options_.to; size *= 2) {
    sizes_.push_back(static_cast<uint32_t>(size));
  }
}

std::string BufferGrid::NameOf(const std::string& direction, const Cell& cell) {
  return absl::StrCat(direction, "_s", cell.send_buffer, "_r",
                      cell.receive_buffer);
}

void BufferGrid::Expand(Scenario& scenario) const {
  const Scenario patterns = scenario;
  scenario.clear_flow();
  scenario.clear_arm();
  for (const Scenario::Flow& pattern : patterns.flow()) {
    const auto& wanted = options_.directions;
    if (std::find(wanted.begin(), wanted.end(), pattern.name()) ==
        wanted.end()) {
      continue;
    }
    for (const uint32_t send : sizes_) {
      for (const uint32_t receive : sizes_) {
        AddCell(pattern, {send, receive}, scenario);
      }
    }
  }
  scenario.set_unstressed_arm(scenario.arm(0).name());
}

void BufferGrid::AddCell(const Scenario::Flow& pattern, const Cell& cell,
                         Scenario& scenario) const {
  const std::string name = NameOf(pattern.name(), cell);
  Scenario::Flow& flow = *scenario.add_flow();
  flow = pattern;
  flow.set_name(name);
  flow.set_send_buffer_bytes(cell.send_buffer);
  flow.set_receive_buffer_bytes(cell.receive_buffer);
  Arm& arm = *scenario.add_arm();
  arm.set_name(name);
  arm.set_title(name);
  arm.add_flow(name);
}

absl::optional<BufferGrid::Cost> BufferGrid::CostOf(
    const ScenarioResult& result, const std::string& direction,
    const Cell& cell) const {
  const std::string name = NameOf(direction, cell);
  const double window_us = static_cast<double>(result.scenario().duration_us());
  Cost sum;
  int runs = 0;
  for (const RunResult& run : result.run()) {
    if (run.arm() != name) continue;
    const FlowResult& flow = *FindFlow(run, name);
    if (BytesOf(flow, direction) == 0) return absl::nullopt;
    const double scale = static_cast<double>(options_.image_bytes) /
                         BytesOf(flow, direction) / 1e6;
    sum.time += window_us * scale;
    sum.client += flow.sender_processor_us() * scale;
    sum.server += flow.receiver_processor_us() * scale;
    sum.work += flow.sender_work_us() * scale;
    ++runs;
  }
  if (runs == 0) return absl::nullopt;
  return Cost{sum.time / runs, sum.client / runs, sum.server / runs,
              sum.work / runs};
}

absl::optional<double> BufferGrid::BestTime(
    const ScenarioResult& result, const std::string& direction) const {
  absl::optional<double> best;
  for (const uint32_t send : sizes_) {
    for (const uint32_t receive : sizes_) {
      const auto cost = CostOf(result, direction, {send, receive});
      if (!cost.has_value()) continue;
      best = std::min(best.value_or(cost->time), cost->time);
    }
  }
  return best;
}

absl::optional<BufferGrid::Cell> BufferGrid::Knee(
    const ScenarioResult& result, const std::string& direction) const {
  const absl::optional<double> best = BestTime(result, direction);
  if (!best.has_value()) return absl::nullopt;
  for (const uint32_t send : sizes_) {
    for (const uint32_t receive : sizes_) {
      const auto cost = CostOf(result, direction, {send, receive});
      if (!cost.has_value()) continue;
      if (cost->time <= *best * (1 + kTolerance)) return Cell{send, receive};
    }
  }
  return absl::nullopt;
}

}  // namespace sim
