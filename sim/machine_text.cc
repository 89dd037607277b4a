#include "sim/machine_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

std::string OnOff(bool on) { return on ? "on" : "off"; }

absl::string_view FormatText(const Scenario::Ring& ring) {
  return ring.format() == Scenario::Ring::PACKED ? "packed" : "split";
}

bool Uses(const Scenario& scenario, Flow::Transport transport) {
  for (const Flow& flow : scenario.flow()) {
    if (flow.transport() == transport) return true;
  }
  return false;
}

bool Uses(const Scenario& scenario, Flow::Transport transport,
          Flow::Type type) {
  for (const Flow& flow : scenario.flow()) {
    if (flow.transport() == transport && flow.type() == type) return true;
  }
  return false;
}

std::string GuestText(const Scenario& scenario) {
  const Scenario::Guest& guest = scenario.guest();
  const bool vsock = Uses(scenario, Flow::VSOCK);
  std::string text = absl::StrCat("Guest: ", guest.vcpus(), " vCPUs");
  if (vsock || Uses(scenario, Flow::UDP)) {
    absl::StrAppend(&text, ", ", FormatText(guest.ring()), " ring of ",
                    guest.ring().size(), ", event_idx ",
                    OnOff(guest.ring().event_idx()), ", indirect ",
                    OnOff(guest.ring().indirect()),
                    guest.ring().in_order() ? ", in order" : "");
  }
  if (vsock) {
    absl::StrAppend(&text, ", rx buffers of ", guest.rx_buffer_bytes(),
                    " bytes");
  }
  return absl::StrCat(text, ". ");
}

std::string NetText(const Scenario& scenario) {
  const Scenario::VirtioNet& net = scenario.virtio_net();
  return absl::StrCat(
      "virtio-net: ", net.queue_pairs(), " queue pairs, MTU ", net.mtu(),
      ", tx napi ", OnOff(net.tx_napi()), ", fragments steered by ",
      net.steering() == Scenario::VirtioNet::FOUR_TUPLE ? "addresses and ports"
                                                        : "addresses alone",
      ". ");
}

std::string VmciText(const Scenario& scenario) {
  return absl::StrCat("VMCI: at most ", scenario.vmci().host_queue(),
                      " datagrams wait for the guest. ");
}

std::string ProposalText(const Scenario& scenario) {
  const Scenario::Proposal& proposal = scenario.proposal();
  return absl::StrCat("Datagrams: ", proposal.name(), ", charged by ",
                      proposal.charge() == Scenario::Proposal::TRUESIZE
                          ? "truesize"
                          : "payload bytes",
                      ". ");
}

std::string UnixText(const Scenario& scenario) {
  std::string text;
  if (Uses(scenario, Flow::UNIX, Flow::DGRAM)) {
    absl::StrAppend(&text, "AF_UNIX: max_dgram_qlen ",
                    scenario.unix().max_dgram_qlen(), ". ");
  }
  if (Uses(scenario, Flow::UNIX_BSD, Flow::STREAM)) {
    absl::StrAppend(&text, "BSD AF_UNIX: a stream's window is its ",
                    scenario.unix().bsd_window() == Scenario::Unix::SENDER
                        ? "writer's SO_SNDBUF. "
                        : "reader's SO_RCVBUF. ");
  }
  return text;
}

}  // namespace

std::string MachineText(const Scenario& scenario, const Platform& platform) {
  std::string text = absl::StrCat(GuestText(scenario),
                                  "Host: ", scenario.host().cpus(), " CPUs. ");
  if (Uses(scenario, Flow::UDP)) text += NetText(scenario);
  if (Uses(scenario, Flow::VMCI)) text += VmciText(scenario);
  text += UnixText(scenario);
  if (Uses(scenario, Flow::VSOCK) || Uses(scenario, Flow::VSOCK_LOOPBACK)) {
    text += ProposalText(scenario);
  }
  return absl::StrCat(text, "Costs: ", platform.name(), ".");
}

}  // namespace sim
