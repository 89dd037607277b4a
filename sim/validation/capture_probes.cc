#include "sim/validation/capture_probes.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "sim/capture_replay.h"
#include "sim/captured_workloads.h"

namespace sim {
namespace {

const char* HowCompared(CapturedWorkload::Order order) {
  switch (order) {
    case CapturedWorkload::Order::kFixed:
      return "op, len, flags, buf_alloc, fwd_cnt of each packet";
    case CapturedWorkload::Order::kScheduled:
      return "packets by op within 10 %, updates lawful";
    case CapturedWorkload::Order::kUnknown:
      return "messages and their boundaries";
  }
  return "";
}

absl::StatusOr<std::vector<double>> Predict(const Platform& costs, uint64_t) {
  const auto compared = CompareCaptures(costs);
  if (!compared.ok()) return compared.status();
  const std::vector<CapturedWorkload> workloads = CapturedWorkloads();
  std::vector<double> values;
  for (size_t i = 0; i < compared->size(); ++i) {
    const bool waits = workloads[i].order == CapturedWorkload::Order::kUnknown;
    values.push_back(waits ? std::numeric_limits<double>::quiet_NaN()
                           : (*compared)[i].matched);
  }
  return values;
}

}  // namespace

Probe RecordedPackets() {
  Probe probe = {
      .title = "Recorded packets",
      .source =
          "Packets of Linux 6.1 over vsock_loopback, recorded by "
          "vsockmon; 1: the model sends the same",
      .bears_on = {Scenario::Flow::VSOCK, Scenario::Flow::VSOCK_LOOPBACK},
      .predict = Predict};
  for (const CapturedWorkload& workload : CapturedWorkloads()) {
    probe.claims.push_back(
        {.name = absl::StrCat("packets_", workload.name),
         .claim =
             absl::StrCat(workload.name, ": ", HowCompared(workload.order)),
         .published = "1",
         .low = 1,
         .high = 1,
         .note = workload.order == CapturedWorkload::Order::kUnknown
                     ? "the model has no seqpacket sockets"
                     : "//tests/sim:capture_replay_test names the packet"});
  }
  return probe;
}

}  // namespace sim
