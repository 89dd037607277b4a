#include "sim/flow_checks.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/metric.h"
#include "sim/name_checks.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

constexpr uint64_t kHostCid = 2;
constexpr uint32_t kMostDatagramBytes = 65536;
constexpr uint32_t kMostVmciBytes = 69608;  // EMSGSIZE above
constexpr uint32_t kMostUdpBytes = 65507;   // EMSGSIZE above
constexpr uint64_t kMostPort = 4294967294;
constexpr uint64_t kMostUdpPort = 65535;

bool WithinOneMachine(Flow::Transport transport) {
  switch (transport) {
    case Flow::VSOCK:
    case Flow::VMCI:
    case Flow::UDP:
      return false;
    case Flow::VSOCK_LOOPBACK:
    case Flow::UNIX:
    case Flow::UNIX_BSD:
      return true;
  }
  return false;
}

uint32_t MostDatagramBytes(Flow::Transport transport) {
  if (transport == Flow::UDP) return kMostUdpBytes;
  if (transport == Flow::VMCI) return kMostVmciBytes;
  return kMostDatagramBytes;
}

class FlowCheck {
 public:
  FlowCheck(const Scenario& scenario, int index, Problems& problems)
      : scenario_(scenario),
        flow_(scenario.flow(index)),
        path_(absl::StrCat("flow[", index, "]")),
        problems_(problems) {}

  void Run() {
    if (!flow_.has_type()) Fail(".type", "missing: STREAM or DGRAM");
    if (flow_.name() == kTotals) Fail(".name", "\"totals\" is taken");
    if (flow_.transport() == Flow::VMCI && IsStream()) {
      Fail(".transport", "VMCI is modelled for DGRAM only");
    }
    if (IsUdp() && IsStream()) Fail(".transport", "UDP carries only DGRAM");
    Ends();
    Ports();
    Sizes();
    Workload();
    Times();
  }

 private:
  void Fail(absl::string_view field, absl::string_view what) {
    problems_.Add(absl::StrCat(path_, field), what);
  }

  bool IsStream() const { return flow_.type() == Flow::STREAM; }
  bool IsUdp() const { return flow_.transport() == Flow::UDP; }

  bool IsUnix() const {
    return flow_.transport() == Flow::UNIX ||
           flow_.transport() == Flow::UNIX_BSD;
  }

  void Ends() {
    End(".from.cid", flow_.from());
    End(".to.cid", flow_.to());
    if (!flow_.from().has_cid() || !flow_.to().has_cid()) return;
    const bool same = flow_.from().cid() == flow_.to().cid();
    if (same && !WithinOneMachine(flow_.transport())) {
      Fail(".to.cid", "must differ from from.cid");
    }
    if (!same && WithinOneMachine(flow_.transport())) {
      Fail(".to.cid", "must be from.cid: the transport is within one machine");
    }
  }

  void End(absl::string_view field, const Scenario::Endpoint& end) {
    const uint64_t guest = scenario_.guest().cid();
    const std::string choice =
        absl::StrCat(kHostCid, " (the host) or ", guest, " (the guest)");
    if (!end.has_cid()) {
      Fail(field, absl::StrCat("missing: ", choice));
    } else if (end.cid() != kHostCid && end.cid() != guest) {
      Fail(field, absl::StrCat(end.cid(), " is nobody's; expected ", choice));
    }
  }

  void Ports() {
    if (flow_.to().port() == 0) Fail(".to.port", "missing: 1..4294967294");
    LastPort(".from.port", flow_.from().port(), flow_.count());
    if (!IsStream()) {
      LastPort(".to.port", flow_.to().port(), flow_.receiving_sockets());
    }
  }

  void LastPort(absl::string_view field, uint64_t first, uint64_t ports) {
    const uint64_t most = IsUdp() ? kMostUdpPort : kMostPort;
    if (first != 0 && first + ports - 1 > most) {
      Fail(field, absl::StrCat(ports, " ports from here on pass ", most));
    }
  }

  void Sizes() {
    if (IsStream()) {
      if (flow_.has_send_buffer_bytes() && !IsUnix()) {
        Fail(".send_buffer_bytes",
             "a vsock stream has one buffer size: receive_buffer_bytes");
      }
      if (flow_.message_bytes() == 0) {
        Fail(".message_bytes", "a stream cannot send nothing");
      }
      if (flow_.has_receiving_sockets()) {
        Fail(".receiving_sockets", "only datagram flows have these");
      }
      return;
    }
    const uint32_t most = MostDatagramBytes(flow_.transport());
    if (flow_.message_bytes() > most && !IsUnix()) {
      Fail(".message_bytes",
           absl::StrCat(flow_.message_bytes(), " is not in 0..", most,
                        " (datagram)"));
    }
    if (flow_.message_bytes() == 0 && flow_.has_total_bytes()) {
      Fail(".total_bytes", "never reached with empty messages");
    }
    if (flow_.receiving_sockets() > flow_.count()) {
      Fail(".receiving_sockets",
           absl::StrCat("more than the ", flow_.count(), " senders"));
    }
  }

  void Workload() {
    const bool needs_stream =
        flow_.has_request_response() || flow_.has_replay();
    if (needs_stream && !IsStream()) {
      Fail(".type", "request_response and replay need STREAM");
    }
    if (flow_.has_paced() && !flow_.paced().has_interval_us()) {
      Fail(".paced.interval_us", "missing");
    }
    if (flow_.has_replay()) Replay();
  }

  void Replay() {
    if (flow_.replay().message().empty()) {
      Fail(".replay", "needs a capture or messages");
    }
    for (int i = 0; i < flow_.replay().message_size(); ++i) {
      if (!flow_.replay().message(i).has_bytes()) {
        Fail(absl::StrCat(".replay.message[", i, "].bytes"), "missing");
      }
    }
  }

  void Times() {
    const uint64_t window_end = scenario_.warmup_us() + scenario_.duration_us();
    const uint64_t end = window_end + scenario_.cooldown_us();
    if (flow_.stop_us() <= flow_.start_us()) {
      Fail(".stop_us", absl::StrCat("not after start_us ", flow_.start_us()));
    }
    if (flow_.stop_us() > end) {
      Fail(".stop_us", absl::StrCat("after the end of the run, ", end));
    }
    const bool in_window = flow_.start_us() < window_end &&
                           flow_.stop_us() > scenario_.warmup_us();
    if (flow_.measured() && !in_window) {
      Fail(".start_us", "a measured flow must run in the measured window");
    }
  }

  const Scenario& scenario_;
  const Flow& flow_;
  const std::string path_;
  Problems& problems_;
};

}  // namespace

void CheckFlows(const Scenario& scenario, Problems& problems) {
  if (scenario.flow().empty()) problems.Add("flow", "at least one is needed");
  CheckNames(scenario.flow(), "flow", problems);
  for (int i = 0; i < scenario.flow_size(); ++i) {
    FlowCheck(scenario, i, problems).Run();
  }
}

}  // namespace sim
