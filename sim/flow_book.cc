#include "sim/flow_book.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sim/jain_index.h"

namespace sim {
namespace {

using vsock::DropReason;
using vsock::Instant;
using vsock::Nanos;

double Microseconds(Nanos d) { return static_cast<double>(d.value()) / 1e3; }

double QuantileUs(const Histogram& latency, uint32_t ppm) {
  return Microseconds(Nanos(latency.Quantile(ppm).value_or(0)));
}

void AddDrop(absl::string_view cause, const vsock::DropCounters::Count& count,
             FlowResult& result) {
  Drop* drop = result.add_drop();
  drop->set_cause(std::string(cause));
  drop->set_packets(count.packets);
  drop->set_payload_bytes(count.bytes);
}

Instant AtUs(uint64_t us) { return Instant(static_cast<int64_t>(us) * 1000); }

}  // namespace

FlowBook::FlowBook(const Scenario::Flow& flow, Window window)
    : flow_(flow), window_(window), bytes_delivered_(flow.count()) {}

void FlowBook::Sent(Instant now, uint32_t bytes) {
  if (!window_.Contains(now)) return;
  ++messages_sent_;
  bytes_sent_ += bytes;
}

void FlowBook::DeliveredBytes(Instant now, uint32_t index, uint32_t bytes) {
  if (window_.Contains(now)) bytes_delivered_[index] += bytes;
}

void FlowBook::DeliveredMessage(Instant now, std::optional<Nanos> latency) {
  if (!window_.Contains(now)) return;
  ++messages_delivered_;
  if (latency.has_value() && !flow_.has_request_response()) {
    latency_.Add(latency->value());
  }
}

void FlowBook::RoundTrip(Instant now, Nanos latency) {
  if (window_.Contains(now)) latency_.Add(latency.value());
}

void FlowBook::Lost(Instant now, DropReason reason, uint32_t bytes) {
  if (window_.Contains(now)) drops_.Add(reason, bytes);
}

void FlowBook::Lost(Instant now, absl::string_view cause, uint32_t bytes) {
  if (!window_.Contains(now)) return;
  vsock::DropCounters::Count& count = other_drops_[cause];
  ++count.packets;
  count.bytes += bytes;
}

void FlowBook::BlockedFor(vsock::Blocked cause, Instant since, Instant until,
                          Nanos on_ring) {
  const Instant from = std::max(since, window_.begin);
  const Instant to = std::min(until, window_.end);
  if (to <= from) return;
  const Nanos within = to - from;
  Nanos& sum = cause == vsock::Blocked::kCredit ? blocked_on_credit_
                                                : blocked_on_send_buffer_;
  sum = sum + within;
  blocked_on_ring_ = blocked_on_ring_ + std::min(on_ring, within);
}

// The part of the window in which senders were to send.
Nanos FlowBook::ActiveTime() const {
  const Instant from = std::max(window_.begin, AtUs(flow_.start_us()));
  const Instant to = std::min(window_.end, AtUs(flow_.stop_us()));
  return std::max(to - from, Nanos(0));
}

FlowResult FlowBook::Result() const {
  FlowResult result;
  result.set_name(flow_.name());
  result.set_type(flow_.type());
  result.set_measured(flow_.measured());
  result.set_sockets(flow_.count());
  result.set_messages_sent(messages_sent_);
  result.set_messages_delivered(messages_delivered_);
  result.set_payload_bytes_sent(bytes_sent_);
  const uint64_t delivered = std::accumulate(
      bytes_delivered_.begin(), bytes_delivered_.end(), uint64_t{0});
  result.set_payload_bytes_delivered(delivered);
  const double seconds = static_cast<double>(ActiveTime().value()) / 1e9;
  const auto per_second = [&](uint64_t bytes) {
    return seconds > 0 ? static_cast<double>(bytes) / seconds : 0.0;
  };
  result.set_goodput_bytes_per_second(per_second(delivered));
  for (const uint64_t bytes : bytes_delivered_) {
    result.add_socket_goodput_bytes_per_second(per_second(bytes));
  }
  if (const auto jain = JainIndex(bytes_delivered_)) {
    result.set_jain_index(*jain);
  }
  for (size_t i = 0; i < vsock::kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (drops_[reason].packets == 0) continue;
    AddDrop(vsock::DropReasonName(reason), drops_[reason], result);
  }
  for (const auto& [cause, count] : other_drops_) {
    AddDrop(cause, count, result);
  }
  result.set_blocked_on_credit_us(Microseconds(blocked_on_credit_));
  result.set_blocked_on_send_buffer_us(Microseconds(blocked_on_send_buffer_));
  result.set_blocked_on_ring_us(Microseconds(blocked_on_ring_));
  result.mutable_latency()->set_count(latency_.count());
  if (latency_.count() > 0) {
    Latency& out = *result.mutable_latency();
    out.set_p50_us(QuantileUs(latency_, 500'000));
    out.set_p90_us(QuantileUs(latency_, 900'000));
    out.set_p99_us(QuantileUs(latency_, 990'000));
    out.set_p999_us(QuantileUs(latency_, 999'000));
    out.set_max_us(Microseconds(Nanos(*latency_.max())));
  }
  result.set_connections_reset(connections_reset_);
  if (flow_.has_request_response() || flow_.has_replay()) {
    result.set_reply_bytes_delivered(reply_bytes_);
  }
  result.set_sender_processor_us(Microseconds(sender_busy_));
  result.set_receiver_processor_us(Microseconds(receiver_busy_));
  result.set_sender_work_us(Microseconds(sender_work_));
  return result;
}

}  // namespace sim
