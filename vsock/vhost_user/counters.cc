#include "vsock/vhost_user/counters.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vsock/hdr.h"

namespace vsock::vhost_user {
namespace {

constexpr std::array<absl::string_view, 8> kOpNames = {
    "invalid",  "request", "response",      "rst",
    "shutdown", "rw",      "credit_update", "credit_request"};
constexpr std::array<absl::string_view, kQueues> kQueueNames = {"rx", "tx"};

class Lines {
 public:
  void Add(absl::string_view name, uint64_t value) {
    absl::StrAppend(&text_, name, " ", value, "\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddRings(const Counters& counters, Lines& lines) {
  for (size_t i = 0; i < kQueues; ++i) {
    const absl::string_view queue = kQueueNames[i];
    lines.Add(absl::StrCat(queue, "_kicks"), counters.kicks[i]);
    lines.Add(absl::StrCat(queue, "_calls"), counters.calls[i]);
    lines.Add(absl::StrCat(queue, "_chains"), counters.chains[i]);
  }
  lines.Add("calls_suppressed", counters.calls_suppressed);
}

void AddPackets(const Transport::Counters& packets, Lines& lines) {
  for (size_t op = 0; op < kOpNames.size(); ++op) {
    lines.Add(absl::StrCat("received_", kOpNames[op]), packets.received[op]);
  }
  for (size_t op = 0; op < kOpNames.size(); ++op) {
    lines.Add(absl::StrCat("sent_", kOpNames[op]), packets.sent[op]);
  }
  lines.Add("stream_bytes_received", packets.stream_bytes_received);
  lines.Add("stream_bytes_sent", packets.stream_bytes_sent);
  lines.Add("datagrams_received", packets.datagrams_received);
  lines.Add("datagrams_sent", packets.datagrams_sent);
  lines.Add("datagrams_lost", packets.datagrams_lost);
  lines.Add("reopened_flows", packets.reopened);
  lines.Add("rst_answered", packets.rst_answered);
}

void AddDropLines(const Counters& counters, Lines& lines) {
  for (size_t i = 0; i < kDropReasons; ++i) {
    const absl::string_view name = DropReasonName(static_cast<DropReason>(i));
    const DropCounters::Count& count = counters.drops[i];
    lines.Add(absl::StrCat("dropped_", name, "_packets"), count.packets);
    lines.Add(absl::StrCat("dropped_", name, "_bytes"), count.bytes);
  }
}

}  // namespace

void Counters::AddDrops(const DropCounters& more) {
  for (size_t i = 0; i < kDropReasons; ++i) {
    const DropCounters::Count& count = more[static_cast<DropReason>(i)];
    drops[i].packets += count.packets;
    drops[i].bytes += count.bytes;
  }
}

void Counters::Add(Transport& transport) {
  const Transport::Counters& more = transport.counters();
  for (size_t op = 0; op < more.sent.size(); ++op) {
    packets.sent[op] += more.sent[op];
    packets.received[op] += more.received[op];
  }
  packets.stream_bytes_sent += more.stream_bytes_sent;
  packets.stream_bytes_received += more.stream_bytes_received;
  packets.datagrams_sent += more.datagrams_sent;
  packets.datagrams_received += more.datagrams_received;
  packets.datagrams_lost += more.datagrams_lost;
  packets.rst_answered += more.rst_answered;
  packets.reopened += more.reopened;
  AddDrops(transport.losses().counters());
}

void Counters::Add(Device& device) {
  chains[kRxQueue] += device.rx_completed();
  chains[kTxQueue] += device.tx_completed();
  packets.datagrams_lost +=
      device.datagrams_lost_to_host() + device.datagrams_lost_to_guest();
  AddDrops(device.losses().counters());
}

std::string Counters::Text(uint64_t prints) const {
  Lines lines;
  lines.Add("front_ends", front_ends);
  lines.Add("front_end_messages", front_end_messages);
  lines.Add("front_end_faults", front_end_faults);
  lines.Add("drivers", drivers);
  lines.Add("ring_starts", ring_starts);
  lines.Add("ring_faults", ring_faults);
  lines.Add("connection_faults", connection_faults);
  lines.Add("property_breaches", property_breaches);
  AddRings(*this, lines);
  AddPackets(packets, lines);
  AddDropLines(*this, lines);
  lines.Add("connections_accepted", connections_accepted);
  lines.Add("forwarded_from_guest", forwarded_from_guest);
  lines.Add("forwarded_to_guest", forwarded_to_guest);
  lines.Add("forwarding_refused", forwarding_refused);
  lines.Add("prints", prints);
  return lines.Take();
}

}  // namespace vsock::vhost_user
