#include "sim/flow_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

std::string WorkloadText(const Flow& flow) {
  const std::string size = absl::StrCat(flow.message_bytes(), "-byte messages");
  switch (flow.workload_case()) {
    case Flow::kPaced:
      return absl::StrCat(size, " every ", flow.paced().interval_us(), " us");
    case Flow::kRequestResponse:
      return absl::StrCat(
          flow.request_response().request_bytes(), "-byte requests, ",
          flow.request_response().reply_bytes(), "-byte replies");
    case Flow::kReplay:
      return absl::StrCat("replay of ", flow.replay().message_size(),
                          " recorded messages");
    case Flow::kBulk:
    case Flow::WORKLOAD_NOT_SET:
      return size;
  }
  return size;
}

std::string WayText(const Scenario& scenario, const Flow& flow) {
  const bool from_guest = flow.from().cid() == scenario.guest().cid();
  switch (flow.transport()) {
    case Flow::VSOCK:
      break;
    case Flow::VSOCK_LOOPBACK:
      return from_guest ? "vsock loopback in the guest, "
                        : "vsock loopback on the host, ";
    case Flow::VMCI:
      return from_guest ? "VMCI, guest to host, " : "VMCI, host to guest, ";
    case Flow::UDP:
      return from_guest ? "UDP, guest to host, " : "UDP, host to guest, ";
    case Flow::UNIX:
      return from_guest ? "AF_UNIX in the guest, " : "AF_UNIX on the host, ";
    case Flow::UNIX_BSD:
      return from_guest ? "BSD AF_UNIX in the guest, "
                        : "BSD AF_UNIX on the host, ";
  }
  return from_guest ? "guest to host, " : "host to guest, ";
}

std::string BuffersText(const Flow& flow) {
  std::string text;
  if (flow.has_buffer_bytes()) {
    absl::StrAppend(&text, ", buffer ", flow.buffer_bytes(), " bytes");
  }
  if (flow.has_send_buffer_bytes()) {
    absl::StrAppend(&text, ", send buffer ", flow.send_buffer_bytes(),
                    " bytes");
  }
  if (flow.has_receive_buffer_bytes()) {
    absl::StrAppend(&text, ", receive buffer ", flow.receive_buffer_bytes(),
                    " bytes");
  }
  return text;
}

}  // namespace

std::string FlowText(const Scenario& scenario, const Flow& flow) {
  return absl::StrCat(flow.type() == Flow::DGRAM ? "datagrams, " : "stream, ",
                      WayText(scenario, flow), WorkloadText(flow),
                      BuffersText(flow));
}

}  // namespace sim
