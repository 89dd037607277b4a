// flow_book.h: what is written down of one flow while it runs.
//
// Only what happens in the measured window counts. Latency is from the start
// of the send call to the return of the receive call that took the last byte.

#ifndef SIM_FLOW_BOOK_H_
#define SIM_FLOW_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "sim/histogram.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/window.h"
#include "vsock/drop.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace sim {

class FlowBook {
 public:
  FlowBook(const Scenario::Flow& flow, Window window);

  void Sent(vsock::Instant now, uint32_t bytes);
  // Some bytes of sender `index`.
  void DeliveredBytes(vsock::Instant now, uint32_t index, uint32_t bytes);
  // The last byte of a message; `latency` if it is known.
  void DeliveredMessage(vsock::Instant now,
                        std::optional<vsock::Nanos> latency = std::nullopt);
  // A request's reply has arrived.
  void RoundTrip(vsock::Instant now, vsock::Nanos latency);
  void Lost(vsock::Instant now, vsock::DropReason reason, uint32_t bytes);
  // A loss that the model of vsock/ does not know.
  void Lost(vsock::Instant now, absl::string_view cause, uint32_t bytes);
  // A sender could not go on from `since` to `until`; for `on_ring` of this
  // time the send list waited for a place in the ring.
  void BlockedFor(vsock::Blocked cause, vsock::Instant since,
                  vsock::Instant until, vsock::Nanos on_ring);
  void ReplyBytes(vsock::Instant now, uint32_t bytes) {
    if (window_.Contains(now)) reply_bytes_ += bytes;
  }
  // A program spends processor time from `now` on; `work` of it is its own.
  void SenderBusy(vsock::Instant now, vsock::Nanos time, vsock::Nanos work) {
    if (!window_.Contains(now)) return;
    sender_busy_ = sender_busy_ + time;
    sender_work_ = sender_work_ + work;
  }
  void ReceiverBusy(vsock::Instant now, vsock::Nanos time) {
    if (window_.Contains(now)) receiver_busy_ = receiver_busy_ + time;
  }
  void ConnectionEnded() { ++connections_reset_; }
  void Mismatch() { ++mismatches_; }

  const Scenario::Flow& flow() const { return flow_; }
  const Window& window() const { return window_; }
  // Payloads that arrived other than they were sent; real payloads only.
  uint64_t mismatches() const { return mismatches_; }

  FlowResult Result() const;

 private:
  vsock::Nanos ActiveTime() const;

  const Scenario::Flow& flow_;
  const Window window_;
  uint64_t messages_sent_ = 0;
  uint64_t bytes_sent_ = 0;
  uint64_t messages_delivered_ = 0;
  std::vector<uint64_t> bytes_delivered_;  // by sender
  vsock::DropCounters drops_;
  absl::btree_map<std::string, vsock::DropCounters::Count> other_drops_;
  vsock::Nanos blocked_on_credit_{0};
  vsock::Nanos blocked_on_send_buffer_{0};
  vsock::Nanos blocked_on_ring_{0};
  Histogram latency_;
  uint64_t reply_bytes_ = 0;
  vsock::Nanos sender_busy_{0};
  vsock::Nanos sender_work_{0};
  vsock::Nanos receiver_busy_{0};
  uint32_t connections_reset_ = 0;
  uint64_t mismatches_ = 0;
};

}  // namespace sim

#endif  // SIM_FLOW_BOOK_H_
