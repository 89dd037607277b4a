#include "bench/unix_grid.h"

#include <sys/socket.h>

#include <atomic>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/line_transfer.h"
#include "bench/probe.h"
#include "bench/spread.h"
#include "bench/this_machine.h"
#include "sim/number_text.h"
#include "sim/result.pb.h"
#include "sim/scenario_defaults.h"
#include "sim/simulation.h"
#include "sim/text_table.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

using sim::Scenario;

constexpr uint32_t kHost = 2;
constexpr uint32_t kPort = 1;
constexpr uint32_t kMegabyte = 1'000'000;

bool IsStream(const UnixGridCell& cell) {
  return cell.type == Scenario::Flow::STREAM;
}

absl::Status Predict(const sim::Platform& platform, UnixGridCell& cell) {
  const Scenario scenario =
      UnixGridScenario(cell.type, cell.send_buffer, cell.message);
  const std::atomic<bool> stop = false;
  const absl::StatusOr<sim::RunResult> result =
      sim::RunArm(scenario, platform, scenario.arm(0), scenario.seed(), stop);
  if (!result.ok()) return result.status();
  const sim::FlowResult& flow = result->flow(0);
  cell.predicted_bytes_per_s =
      flow.connections_reset() > 0 ? 0 : flow.goodput_bytes_per_second();
  return absl::OkStatus();
}

absl::Status Measure(const Timing& timing, UnixGridCell& cell) {
  const absl::StatusOr<Spread> rate =
      MeasureUnixThroughput({.type = IsStream(cell) ? SOCK_STREAM : SOCK_DGRAM,
                             .send_buffer = cell.send_buffer,
                             .message_bytes = cell.message},
                            timing);
  if (absl::IsInvalidArgument(rate.status())) return absl::OkStatus();
  if (!rate.ok()) return rate.status();
  cell.line_nanos = Repeat(/*repetitions=*/1, LineTransferNanos)[0];
  cell.measured_bytes_per_s = rate->median;
  cell.measured_low = rate->low;
  cell.measured_high = rate->high;
  return absl::OkStatus();
}

std::string Megabytes(double bytes_per_second) {
  return bytes_per_second == 0 ? "EMSGSIZE"
                               : sim::Short(bytes_per_second / kMegabyte);
}

void AddRow(const UnixGridCell& cell, sim::TextTable& table) {
  const bool none =
      cell.predicted_bytes_per_s == 0 && cell.measured_bytes_per_s == 0;
  const std::string spread =
      absl::StrCat(sim::Short(cell.measured_low / kMegabyte), " to ",
                   sim::Short(cell.measured_high / kMegabyte));
  table.AddRow(
      {IsStream(cell) ? "stream" : "datagram", absl::StrCat(cell.send_buffer),
       absl::StrCat(cell.message), Megabytes(cell.predicted_bytes_per_s),
       Megabytes(cell.measured_bytes_per_s),
       cell.measured_bytes_per_s == 0 ? "" : spread,
       cell.measured_bytes_per_s == 0 ? "" : sim::Short(cell.line_nanos),
       none ? "" : sim::UnsignedPercent(100 * RelativeError(cell))});
}

}  // namespace

Scenario UnixGridScenario(Scenario::Flow::Type type, uint32_t send_buffer,
                          uint32_t message) {
  Scenario scenario;
  scenario.set_name("unix_grid");
  scenario.set_question("How fast is bulk data over AF_UNIX?");
  scenario.set_duration_us(30000);
  scenario.mutable_host()->set_cpus(2);
  scenario.mutable_host()->mutable_kernel()->set_wmem_max_bytes(
      SystemSetting("net/core/wmem_max", 212992));
  scenario.mutable_unix()->set_max_dgram_qlen(
      SystemSetting("net/unix/max_dgram_qlen", 10));
  scenario.mutable_randomness()->mutable_interference()->set_enabled(false);
  Scenario::Flow& flow = *scenario.add_flow();
  flow.set_name("bulk");
  flow.set_type(type);
  flow.set_transport(Scenario::Flow::UNIX);
  flow.mutable_from()->set_cid(kHost);
  flow.mutable_to()->set_cid(kHost);
  flow.mutable_to()->set_port(kPort);
  flow.set_message_bytes(message);
  flow.set_send_buffer_bytes(send_buffer);
  sim::FillDefaults(scenario);
  return scenario;
}

absl::StatusOr<std::vector<UnixGridCell>> RunUnixGrid(
    const sim::Platform& platform, const UnixGridOptions& options) {
  std::vector<UnixGridCell> cells;
  for (const auto type : {Scenario::Flow::STREAM, Scenario::Flow::DGRAM}) {
    for (const uint32_t send_buffer : options.send_buffers) {
      for (const uint32_t message : options.messages) {
        UnixGridCell& cell = cells.emplace_back();
        cell.type = type;
        cell.send_buffer = send_buffer;
        cell.message = message;
        absl::Status status = Predict(platform, cell);
        if (status.ok()) status = Measure(options.timing, cell);
        if (!status.ok()) return status;
      }
    }
  }
  return cells;
}

double RelativeError(const UnixGridCell& cell) {
  if (cell.measured_bytes_per_s == 0) {
    return cell.predicted_bytes_per_s == 0 ? 0 : 1;
  }
  return std::abs(cell.predicted_bytes_per_s - cell.measured_bytes_per_s) /
         cell.measured_bytes_per_s;
}

double MedianError(const std::vector<UnixGridCell>& cells) {
  std::vector<double> errors;
  for (const UnixGridCell& cell : cells) {
    if (cell.predicted_bytes_per_s == 0 && cell.measured_bytes_per_s == 0) {
      continue;
    }
    errors.push_back(RelativeError(cell));
  }
  VSOCK_CHECK(!errors.empty());
  return Median(errors);
}

std::string UnixGridTable(const std::vector<UnixGridCell>& cells) {
  sim::TextTable table;
  table.AddRow({"socket", "SO_SNDBUF", "message", "predicted MB/s",
                "measured MB/s", "of repetitions", "line ns", "error"});
  table.AddRule();
  for (const UnixGridCell& cell : cells) AddRow(cell, table);
  table.AddRule();
  return absl::StrCat(table.ToString(), "median error ",
                      sim::UnsignedPercent(100 * MedianError(cells)), "\n");
}

}  // namespace bench
