#include "sim/buffer_grid_text.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "sim/report_text.h"
#include "sim/text_table.h"

namespace sim {
namespace {

using Cost = BufferGrid::Cost;

std::string Seconds(double value) { return absl::StrFormat("%.3f", value); }

class DirectionText {
 public:
  DirectionText(const BufferGrid& grid, const ScenarioResult& result,
                const std::string& direction)
      : grid_(grid),
        result_(result),
        direction_(direction),
        knee_(grid.Knee(result, direction)) {}

  std::string Text() const {
    return absl::StrCat(
        Table("time, s", &Cost::time), Table("client's CPU, s", &Cost::client),
        HasWork() ? Table("  of it user, s", &Cost::work) : "",
        Table("server's CPU, s", &Cost::server), KneeText(), "\n");
  }

 private:
  std::string Table(const std::string& what, double Cost::*part) const {
    TextTable table;
    table.AddHeading(absl::StrCat(direction_, ": ", what));
    std::vector<std::string> head = {"send \\ receive"};
    for (const uint32_t size : grid_.sizes()) head.push_back(SizeText(size));
    table.AddRow(std::move(head));
    for (const uint32_t send : grid_.sizes()) {
      std::vector<std::string> row = {SizeText(send)};
      for (const uint32_t receive : grid_.sizes()) {
        row.push_back(CellText({send, receive}, part));
      }
      table.AddRow(std::move(row));
    }
    return absl::StrCat(table.ToString(), "\n");
  }

  std::string CellText(const BufferGrid::Cell& cell, double Cost::*part) const {
    const auto cost = grid_.CostOf(result_, direction_, cell);
    if (!cost.has_value()) return "-";
    return absl::StrCat(IsKnee(cell) ? "*" : "", Seconds((*cost).*part));
  }

  bool IsKnee(const BufferGrid::Cell& cell) const {
    return knee_.has_value() && knee_->send_buffer == cell.send_buffer &&
           knee_->receive_buffer == cell.receive_buffer;
  }

  // The programs of the usual pattern do nothing but calls.
  bool HasWork() const {
    const auto cost = knee_.has_value()
                          ? grid_.CostOf(result_, direction_, *knee_)
                          : absl::nullopt;
    return cost.has_value() && cost->work > 0;
  }

  std::string KneeText() const {
    if (!knee_.has_value()) return "";
    return Wrap(absl::StrCat(
        "* Knee of ", direction_, ": a send buffer of ",
        SizeText(knee_->send_buffer), " and a receive buffer of ",
        SizeText(knee_->receive_buffer),
        ", the smallest within 5 % of the best time (smallest send buffer "
        "first). With this send buffer, receive buffers make a difference of ",
        absl::StrFormat("%.1f", ReceiveEffectPercent()), " %."));
  }

  // Of the times in the knee's row.
  double ReceiveEffectPercent() const {
    double least = 0;
    double most = 0;
    for (const uint32_t receive : grid_.sizes()) {
      const auto cost =
          grid_.CostOf(result_, direction_, {knee_->send_buffer, receive});
      if (!cost.has_value()) continue;
      if (least == 0 || cost->time < least) least = cost->time;
      if (cost->time > most) most = cost->time;
    }
    return least > 0 ? (most / least - 1) * 100 : 0;
  }

  const BufferGrid& grid_;
  const ScenarioResult& result_;
  const std::string direction_;
  const absl::optional<BufferGrid::Cell> knee_;
};

}  // namespace

std::string SizeText(uint64_t bytes) {
  if (bytes % (1 << 20) == 0) return absl::StrCat(bytes >> 20, "m");
  if (bytes % (1 << 10) == 0) return absl::StrCat(bytes >> 10, "k");
  return absl::StrCat(bytes);
}

std::string BufferGridBody(const BufferGrid& grid,
                           const ScenarioResult& result) {
  std::string text = IncompleteText(result);
  absl::StrAppend(
      &text,
      Wrap(absl::StrCat(
          "Each figure is for an image of ",
          SizeText(grid.options().image_bytes), ", scaled from what went in ",
          result.scenario().duration_us() / 1000,
          " ms of simulated time. Both ends set the same buffers, as "
          "handed to setsockopt. All processor time is system calls unless "
          "a table says user.")),
      "\n");
  for (const std::string& direction : grid.options().directions) {
    absl::StrAppend(&text, DirectionText(grid, result, direction).Text());
  }
  return absl::StrCat(text, ReplayText(result));
}

}  // namespace sim
