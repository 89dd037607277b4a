#include "sim/notes.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sim/flow_buffers.h"
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
        notes_(notes) {}

  void Add() {
    if (flow_.transport() == Flow::UNIX_BSD) return;  // takes what it is given
    if (flow_.transport() == Flow::UNIX) return SendBuffer();
    if (flow_.type() == Flow::DGRAM) {
      DatagramBuffers();
      DatagramSizes();
    } else if (ReceiveBufferOf(flow_).has_value()) {
      StreamBuffer(Sender());
      if (Clamped(Sender()) != Clamped(Receiver())) StreamBuffer(Receiver());
    }
  }

 private:
  const Kernel& Sender() const {
    return from_guest_ ? scenario_.guest().kernel() : scenario_.host().kernel();
  }
  const Kernel& Receiver() const {
    return from_guest_ ? scenario_.host().kernel() : scenario_.guest().kernel();
  }

  void Note(absl::string_view text) {
    notes_.push_back(absl::StrCat(flow_.name(), ": ", text));
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

  void DatagramSizes() {
    const uint32_t rx_buffer = scenario_.guest().rx_buffer_bytes();
    if (!from_guest_ && flow_.message_bytes() + kHeaderBytes > rx_buffer) {
      Note(absl::StrCat("its datagrams do not fit rx buffers of ", rx_buffer,
                        " bytes, so all are dropped"));
    }
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
