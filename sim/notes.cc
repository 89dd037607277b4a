#include "sim/notes.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/flow_buffers.h"
#include "sim/peers/bsd_unix_rules.h"
#include "sim/peers/linux_unix_rules.h"
#include "sim/peers/unix_rules.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;
using Kernel = Scenario::Kernel;

constexpr uint32_t kHeaderBytes = 44;  // virtio 1.3, 5.10.6

class FlowNotes {
 public:
  FlowNotes(const Scenario& scenario, const Flow& flow,
            std::vector<std::string>& notes)
      : scenario_(scenario),
        flow_(flow),
        from_guest_(flow.from().cid() == scenario.guest().cid()),
        to_guest_(flow.to().cid() == scenario.guest().cid()),
        notes_(notes) {}

  void Add() {
    Buffers();
    if (flow_.type() != Flow::DGRAM) return;
    if (flow_.transport() == Flow::VSOCK) RxBuffers();
    if (flow_.transport() == Flow::UNIX) {
      UnixSizes(LinuxUnixRules(scenario_.unix()));
    }
    if (flow_.transport() == Flow::UNIX_BSD) {
      UnixSizes(BsdUnixRules(scenario_.unix()));
    }
    Truncation();
  }

 private:
  const Kernel& Sender() const {
    return from_guest_ ? scenario_.guest().kernel() : scenario_.host().kernel();
  }
  const Kernel& Receiver() const {
    return to_guest_ ? scenario_.guest().kernel() : scenario_.host().kernel();
  }

  void Note(absl::string_view text) {
    notes_.push_back(absl::StrCat(flow_.name(), ": ", text));
  }

  void Buffers() {
    if (flow_.transport() == Flow::UNIX_BSD) return;  // takes what it is given
    if (flow_.transport() == Flow::UNIX) return SendBuffer();
    if (flow_.type() == Flow::DGRAM) return DatagramBuffers();
    if (!ReceiveBufferOf(flow_).has_value()) return;
    StreamBuffer(Sender());
    if (Clamped(Sender()) != Clamped(Receiver())) StreamBuffer(Receiver());
  }

  void SendBuffer() {
    const uint32_t asked = SendBufferOf(flow_).value_or(0);
    if (asked <= Sender().wmem_max_bytes()) return;
    Note(absl::StrCat("SO_SNDBUF ", asked, " becomes ",
                      Sender().wmem_max_bytes(), " (wmem_max_bytes)"));
  }

  void DatagramBuffers() {
    SendBuffer();
    const uint32_t asked = ReceiveBufferOf(flow_).value_or(0);
    if (asked <= Receiver().rmem_max_bytes()) return;
    Note(absl::StrCat("SO_RCVBUF ", asked, " becomes ",
                      Receiver().rmem_max_bytes(), " (rmem_max_bytes)"));
  }

  void RxBuffers() {
    const uint32_t rx_buffer = scenario_.guest().rx_buffer_bytes();
    if (!to_guest_ || flow_.message_bytes() + kHeaderBytes <= rx_buffer) return;
    Note(absl::StrCat("its datagrams do not fit rx buffers of ", rx_buffer,
                      " bytes, so all are dropped"));
  }

  // What happens to a datagram when nothing else is queued happens to all.
  void UnixSizes(const UnixRules& rules) {
    const UnixView idle = {
        .send_buffer =
            rules.SendBuffer(flow_.type(), SendBufferOf(flow_), Sender()),
        .receive_buffer = rules.ReceiveBuffer(
            flow_.type(), ReceiveBufferOf(flow_), Receiver())};
    const UnixVerdict verdict = rules.Admit(idle, flow_.message_bytes());
    if (verdict == UnixVerdict::kTooBig) {
      Note(absl::StrCat("its datagrams are longer than SO_SNDBUF ",
                        idle.send_buffer,
                        " admits (EMSGSIZE), so its senders stop"));
    } else if (verdict == UnixVerdict::kFull) {
      Note(absl::StrCat("its datagrams do not fit SO_RCVBUF ",
                        idle.receive_buffer, " (ENOBUFS), so all are refused"));
    }
  }

  void Truncation() {
    if (flow_.receiver().read_bytes() < flow_.message_bytes()) {
      Note(absl::StrCat("its receivers truncate datagrams to ",
                        flow_.receiver().read_bytes(), " bytes"));
    }
  }

  uint32_t Clamped(const Kernel& kernel) const {
    return std::clamp(*ReceiveBufferOf(flow_), kernel.stream_buffer_min_bytes(),
                      kernel.stream_buffer_max_bytes());
  }

  void StreamBuffer(const Kernel& kernel) {
    const uint32_t becomes = Clamped(kernel);
    const uint32_t asked = *ReceiveBufferOf(flow_);
    if (becomes == asked) return;
    Note(absl::StrCat("SO_VM_SOCKETS_BUFFER_SIZE ", asked, " becomes ", becomes,
                      " (stream_buffer_", becomes < asked ? "max" : "min",
                      "_bytes)"));
  }

  const Scenario& scenario_;
  const Flow& flow_;
  const bool from_guest_;
  const bool to_guest_;
  std::vector<std::string>& notes_;
};

}  // namespace

std::vector<std::string> ScenarioNotes(const Scenario& scenario) {
  std::vector<std::string> notes;
  for (const Flow& flow : scenario.flow()) {
    FlowNotes(scenario, flow, notes).Add();
  }
  return notes;
}

}  // namespace sim
