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

}  // namespace

std::string FlowText(const Scenario& scenario, const Flow& flow) {
  const bool from_guest = flow.from().cid() == scenario.guest().cid();
  return absl::StrCat(
      flow.type() == Flow::DGRAM ? "datagrams, " : "stream, ",
      from_guest ? "guest to host, " : "host to guest, ", WorkloadText(flow),
      flow.has_buffer_bytes()
          ? absl::StrCat(", buffer ", flow.buffer_bytes(), " bytes")
          : "");
}

}  // namespace sim
