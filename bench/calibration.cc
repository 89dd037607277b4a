#include "bench/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/call_probe.h"
#include "bench/line_transfer.h"
#include "bench/probe.h"
#include "bench/unix_costs.h"
#include "bench/unix_phases.h"
#include "bench/wakeup_probe.h"
#include "google/protobuf/text_format.h"
#include "sim/costs.h"
#include "sim/number_text.h"
#include "sim/text_table.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

using sim::Cost;

constexpr size_t kWarmBytes = 256 << 10;  // fits a processor's own caches
constexpr size_t kLargeBytes = 8 << 20;   // does not

constexpr char kHead[] =
    "# What things cost on one machine, measured by //bench:calibrate. "
    "Figures\n"
    "# whose source does not say so are those of linux_kvm.\n\n";

uint32_t Whole(double value) {
  return static_cast<uint32_t>(std::lround(std::max(value, 0.0)));
}

class Collector {
 public:
  void Nanos(std::string cost, std::string what, std::vector<double> values) {
    Add(std::move(cost), std::move(what), Cost::NANOSECONDS, std::move(values));
  }
  void Picos(std::string cost, std::string what, std::vector<double> values) {
    Add(std::move(cost), std::move(what), Cost::PICOSECONDS_PER_BYTE,
        std::move(values));
  }
  std::vector<Figure> Take() { return std::move(figures_); }

 private:
  void Add(std::string cost, std::string what, Cost::Unit unit,
           std::vector<double> values) {
    figures_.push_back(
        {std::move(cost), std::move(what), unit, SpreadOf(std::move(values))});
  }

  std::vector<Figure> figures_;
};

void AddCalls(uint32_t repetitions, Collector& to) {
  to.Nanos("", "bare system call (getppid)", BareCallNanos(repetitions));
  to.Nanos("", "recv that answers EAGAIN", SocketCallNanos(repetitions));
  to.Nanos("iovec", "one more iovec in a sendmsg", IovecNanos(repetitions));
}

void AddCopies(uint32_t repetitions, Collector& to) {
  to.Picos("", "memcpy of 4 KiB blocks within 256 KiB",
           CopyPicos(repetitions, 4096, kWarmBytes));
  to.Picos("user_copy", "memcpy of 64 KiB blocks within 8 MiB",
           CopyPicos(repetitions, 65536, kLargeBytes));
}

void AddWakeups(uint32_t repetitions, Collector& to) {
  to.Nanos("", "a cache line to the other processor",
           Repeat(repetitions, LineTransferNanos));
  WakeupNanos futex = MeasureWakeups(WakeBy::kFutex, repetitions);
  to.Nanos("", "futex wake, to the waker", std::move(futex.waker));
  to.Nanos("", "futex wake, until the sleeper runs", std::move(futex.latency));
  WakeupNanos event = MeasureWakeups(WakeBy::kEventfd, repetitions);
  to.Nanos("task_wakeup", "eventfd wake-up, to the waker",
           std::move(event.waker));
  to.Nanos("task_latency", "eventfd wake-up, until the sleeper runs",
           std::move(event.latency));
  to.Nanos("context_switch", "sched_yield to another thread",
           SwitchNanos(repetitions));
}

void AddUnix(uint32_t repetitions, Collector& to) {
  UnixCosts costs = MeasureUnixCosts(repetitions);
  to.Nanos("syscall", "AF_UNIX read, the call", std::move(costs.call));
  to.Nanos("packet_allocation", "AF_UNIX write, a socket buffer",
           std::move(costs.allocation));
  to.Nanos("unix_receive", "AF_UNIX read, a socket buffer",
           std::move(costs.receive));
  to.Nanos("unix_pages", "AF_UNIX, a run of pages", std::move(costs.pages));
  to.Picos("copy", "AF_UNIX write, a byte", std::move(costs.copy_in));
  to.Picos("unix_copy_out", "AF_UNIX read, a byte", std::move(costs.copy_out));
  to.Nanos("", "AF_UNIX round trip of one byte, both asleep",
           UnixRoundTripNanos(repetitions));
}

std::string SourceOf(const Figure& figure, const Occasion& occasion) {
  return absl::StrCat("measured on ", occasion.machine, ", ", occasion.date,
                      ", ", figure.spread.n, " repetitions: ", figure.what);
}

}  // namespace

std::vector<Figure> Calibrate(
    uint32_t repetitions,
    const std::function<void(absl::string_view)>& progress) {
  Collector figures;
  progress("system calls");
  AddCalls(repetitions, figures);
  progress("copies");
  AddCopies(repetitions, figures);
  progress("wake-ups and context switches");
  AddWakeups(repetitions, figures);
  progress("AF_UNIX");
  AddUnix(repetitions, figures);
  return figures.Take();
}

sim::Platform CalibratedPlatform(sim::Platform platform,
                                 const std::vector<Figure>& figures,
                                 const Occasion& occasion) {
  platform.set_name("calibrated");
  platform.set_description(
      absl::StrCat(occasion.machine, ", measured on ", occasion.date));
  for (const Figure& figure : figures) {
    if (figure.cost.empty()) continue;
    Cost& cost = sim::MutableCostOf(platform, figure.cost);
    cost.set_low(Whole(figure.spread.low));
    cost.set_mode(Whole(figure.spread.median));
    cost.set_high(Whole(figure.spread.high));
    cost.set_unit(figure.unit);
    cost.set_source(SourceOf(figure, occasion));
  }
  return platform;
}

std::string PlatformText(const sim::Platform& platform) {
  std::string text;
  VSOCK_CHECK(google::protobuf::TextFormat::PrintToString(platform, &text));
  return kHead + text;
}

std::string FiguresTable(const std::vector<Figure>& figures) {
  sim::TextTable table;
  table.AddRow({"what", "cost", "low", "median", "high", "unit"});
  table.AddRule();
  for (const Figure& figure : figures) {
    const bool nanos = figure.unit == Cost::NANOSECONDS;
    table.AddRow({figure.what, figure.cost, sim::Short(figure.spread.low),
                  sim::Short(figure.spread.median),
                  sim::Short(figure.spread.high), nanos ? "ns" : "ps/byte"});
  }
  return table.ToString();
}

}  // namespace bench
