#include "sim/program.h"

#include <deque>
#include <optional>

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

using Kind = Operation::Kind;

Nanos FromUs(uint64_t us) { return Nanos(static_cast<int64_t>(us) * 1000); }
Instant AtUs(uint64_t us) { return Instant(0) + FromUs(us); }

// When a sender is done: its time is over or it has sent enough.
class Quota {
 public:
  explicit Quota(const Scenario::Flow& flow)
      : stop_(AtUs(flow.stop_us())),
        left_(flow.has_total_bytes() ? flow.total_bytes() : UINT64_MAX) {}

  bool Over(Instant now) const { return now >= stop_ || left_ == 0; }
  void Take(uint64_t bytes) { left_ -= bytes < left_ ? bytes : left_; }

 private:
  Instant stop_;
  uint64_t left_;
};

class Bulk final : public Program {
 public:
  explicit Bulk(const Scenario::Flow& flow)
      : quota_(flow), bytes_(flow.message_bytes()) {}

  Operation Next(Instant now) override {
    if (quota_.Over(now)) return {.kind = Kind::kFinish};
    quota_.Take(bytes_);
    return {.kind = Kind::kSend, .bytes = bytes_};
  }

 private:
  Quota quota_;
  uint32_t bytes_;
};

// Open loop: message k is due k intervals after the first.
class Paced final : public Program {
 public:
  explicit Paced(const Scenario::Flow& flow)
      : quota_(flow),
        bytes_(flow.message_bytes()),
        interval_(FromUs(flow.paced().interval_us())) {}

  Operation Next(Instant now) override {
    if (quota_.Over(now)) return {.kind = Kind::kFinish};
    if (!due_.has_value()) due_ = now;
    if (now < *due_) return {.kind = Kind::kSleepUntil, .until = *due_};
    due_ = *due_ + interval_;
    quota_.Take(bytes_);
    return {.kind = Kind::kSend, .bytes = bytes_};
  }

 private:
  Quota quota_;
  uint32_t bytes_;
  Nanos interval_;
  std::optional<Instant> due_;
};

// Replies come in the order of the requests. A request keeps its place among
// those in flight until its reply has been worked on.
class Client final : public Program {
 public:
  Client(const Scenario::Flow& flow, FlowBook& book,
         const WorkPool::Account* pool)
      : quota_(flow),
        shape_(flow.request_response()),
        book_(book),
        pool_(pool) {}

  Operation Next(Instant now) override {
    switch (last_) {
      case Kind::kReceive:
        book_.RoundTrip(now, now - asked_.front());
        asked_.pop_front();
        if (Work() > Nanos(0)) {
          const Kind kind = pool_ != nullptr ? Kind::kDelegate : Kind::kWork;
          return Do({.kind = kind, .work = Work()});
        }
        [[fallthrough]];
      case Kind::kWork:
      case Kind::kDelegate:
        if (shape_.think_us() == 0) break;
        return Do({.kind = Kind::kSleepUntil,
                   .until = now + FromUs(shape_.think_us())});
      case Kind::kSend:
      case Kind::kRead:
      case Kind::kSleepUntil:
      case Kind::kAwaitWork:
      case Kind::kFinish:
        break;
    }
    if (asked_.size() + Delegated() < shape_.in_flight() && !quota_.Over(now)) {
      quota_.Take(shape_.request_bytes());
      asked_.push_back(now);
      return Do({.kind = Kind::kSend, .bytes = shape_.request_bytes()});
    }
    if (!asked_.empty()) {
      return Do({.kind = Kind::kReceive, .bytes = shape_.reply_bytes()});
    }
    if (Delegated() > 0) return Do({.kind = Kind::kAwaitWork});
    return {.kind = Kind::kFinish};
  }

 private:
  Operation Do(Operation operation) {
    last_ = operation.kind;
    return operation;
  }

  // On one reply.
  Nanos Work() const {
    const uint64_t ps =
        uint64_t{shape_.reply_bytes()} * shape_.work_ps_per_byte();
    return Nanos(static_cast<int64_t>(ps / 1000));
  }

  // Replies that the pool has and has not done.
  uint32_t Delegated() const {
    return pool_ != nullptr ? pool_->outstanding() : 0;
  }

  Quota quota_;
  const Scenario::RequestResponse& shape_;
  FlowBook& book_;
  const WorkPool::Account* const pool_;
  Kind last_ = Kind::kFinish;
  std::deque<Instant> asked_;  // requests without a reply
};

class Server final : public Program {
 public:
  explicit Server(const Scenario::RequestResponse& shape) : shape_(shape) {}

  Operation Next(Instant) override {
    replies_ = !replies_;
    return replies_
               ? Operation{.kind = Kind::kReceive,
                           .bytes = shape_.request_bytes()}
               : Operation{.kind = Kind::kSend, .bytes = shape_.reply_bytes()};
  }

 private:
  const Scenario::RequestResponse& shape_;
  bool replies_ = false;
};

// One end of a recorded conversation. Each end waits for the messages that
// the other end owes, and leaves the recorded gaps before its own.
class Replayed final : public Program {
 public:
  Replayed(const Scenario::Flow& flow, bool replies)
      : quota_(flow), script_(flow.replay()), replies_(replies) {}

  Operation Next(Instant now) override {
    if (next_ == script_.message_size()) {
      if (!script_.repeat()) return {.kind = Kind::kFinish};
      next_ = 0;
    }
    const Scenario::Replay::Message& message = script_.message(next_);
    if (message.reply() != replies_) {
      ++next_;
      return {.kind = Kind::kReceive, .bytes = message.bytes()};
    }
    if (!replies_ && quota_.Over(now)) return {.kind = Kind::kFinish};
    if (!waited_ && script_.speed_up() > 0) {
      waited_ = true;
      const int64_t gap = static_cast<int64_t>(message.gap_ns());
      return {.kind = Kind::kSleepUntil,
              .until = now + Nanos(gap / script_.speed_up())};
    }
    waited_ = false;
    ++next_;
    quota_.Take(message.bytes());
    return {.kind = Kind::kSend, .bytes = message.bytes()};
  }

 private:
  Quota quota_;
  const Scenario::Replay& script_;
  const bool replies_;
  int next_ = 0;
  bool waited_ = false;
};

class Reader final : public Program {
 public:
  explicit Reader(const Scenario::Receiver& receiver) : receiver_(receiver) {}

  Operation Next(Instant now) override {
    if (receiver_.behaviour() == Scenario::Receiver::SLOW && !slept_) {
      slept_ = true;
      return {.kind = Kind::kSleepUntil,
              .until = now + FromUs(receiver_.sleep_us())};
    }
    slept_ = false;
    return {.kind = Kind::kRead, .bytes = receiver_.read_bytes()};
  }

 private:
  const Scenario::Receiver& receiver_;
  bool slept_ = false;
};

}  // namespace

std::unique_ptr<Program> SenderProgram(const Scenario::Flow& flow,
                                       FlowBook& book,
                                       const WorkPool::Account* pool) {
  switch (flow.workload_case()) {
    case Scenario::Flow::kPaced:
      return std::make_unique<Paced>(flow);
    case Scenario::Flow::kRequestResponse:
      return std::make_unique<Client>(flow, book, pool);
    case Scenario::Flow::kReplay:
      return std::make_unique<Replayed>(flow, /*replies=*/false);
    case Scenario::Flow::kBulk:
    case Scenario::Flow::WORKLOAD_NOT_SET:
      break;
  }
  return std::make_unique<Bulk>(flow);
}

std::unique_ptr<Program> ReceiverProgram(const Scenario::Flow& flow) {
  switch (flow.workload_case()) {
    case Scenario::Flow::kRequestResponse:
      return std::make_unique<Server>(flow.request_response());
    case Scenario::Flow::kReplay:
      return std::make_unique<Replayed>(flow, /*replies=*/true);
    case Scenario::Flow::kPaced:
    case Scenario::Flow::kBulk:
    case Scenario::Flow::WORKLOAD_NOT_SET:
      break;
  }
  return std::make_unique<Reader>(flow.receiver());
}

}  // namespace sim
