#include "sim/application.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "virtqueue/check.h"

namespace sim {

using vsock::Instant;
using vsock::Nanos;
using vsock::Work;

namespace {

// The cause of a loss that the sender was told of.
constexpr char kRefused[] = "refused";

// Where the pattern of a datagram begins.
uint64_t DatagramAt(uint32_t sequence) { return uint64_t{sequence} << 17; }

}  // namespace

Application::Application(Machines& machines, SocketLayer& layer,
                         Options options)
    : machines_(machines),
      layer_(layer),
      options_(std::move(options)),
      chance_(machines.ChanceOf(options_.name)),
      alarm_(*this),
      buffer_(vsock::kStampBytes) {}

std::optional<Nanos> Application::Run(Instant now) {
  for (;;) {
    Step step = Step::kGoOn;
    switch (phase_) {
      case Phase::kStart:
        step = DoStart(now);
        break;
      case Phase::kConnecting:
        step = DoConnecting();
        break;
      case Phase::kNext:
        step = DoNext(now);
        break;
      case Phase::kAdmit:
        step = DoAdmit(now);
        break;
      case Phase::kHandOver:
        step = DoHandOver();
        break;
      case Phase::kAwait:
        step = DoAwait();
        break;
      case Phase::kTake:
        step = DoTake(now);
        break;
      case Phase::kSleep:
        step = DoSleep(now);
        break;
      case Phase::kDone:
        step = Step::kSleep;
        break;
    }
    if (step == Step::kGoOn) continue;
    // A sleeper first pays what it owes, then looks again.
    if (owed_ > Nanos(0)) return Pay(now);
    if (step == Step::kSleep) return std::nullopt;
  }
}

Nanos Application::Pay(Instant now) {
  const Nanos work = std::exchange(work_, Nanos(0));
  if (options_.is_sender) {
    options_.book->SenderBusy(now, owed_, work);
  } else {
    options_.book->ReceiverBusy(now, owed_);
  }
  return std::exchange(owed_, Nanos(0));
}

Application::Step Application::DoStart(Instant now) {
  if (!options_.connects) {
    phase_ = Phase::kNext;
    return Step::kGoOn;
  }
  phase_ = Phase::kConnecting;
  if (!layer_.Connect(options_.socket, *options_.peer, now).ok()) {
    return Close(now, /*broken=*/true);
  }
  owed_ = layer_.FinishCall(options_.socket, Work{.syscalls = 1}, chance_);
  return Step::kPay;
}

Application::Step Application::DoConnecting() {
  if (WouldSleep(vsock::kConnected)) return Step::kSleep;
  if (!layer_.ConnectStatus(options_.socket).ok()) {
    return Close(machines_.now(), /*broken=*/true);
  }
  phase_ = Phase::kNext;
  return Step::kGoOn;
}

Application::Step Application::DoNext(Instant now) {
  const Operation operation = options_.program->Next(now + owed_);
  message_ = left_ = operation.bytes;
  switch (operation.kind) {
    case Operation::Kind::kSend:
      started_ = now + owed_;
      continued_ = false;
      composed_ = false;
      phase_ = Phase::kAdmit;
      return Step::kGoOn;
    case Operation::Kind::kReceive:
    case Operation::Kind::kRead:
      exactly_ = operation.kind == Operation::Kind::kReceive;
      phase_ = Phase::kAwait;
      return Step::kGoOn;
    case Operation::Kind::kSleepUntil:
      if (operation.until <= now + owed_) return Step::kGoOn;
      sleeps_till_ = operation.until;
      alarm_.Set(sleeps_till_);
      phase_ = Phase::kSleep;
      return Step::kSleep;
    case Operation::Kind::kWork:
      work_ = operation.work;
      owed_ = owed_ + work_;
      return Step::kPay;
    case Operation::Kind::kDelegate:
      owed_ = owed_ + options_.pool->HandOver(operation.work, chance_);
      return Step::kGoOn;
    case Operation::Kind::kAwaitWork:
      return AwaitWork();
    case Operation::Kind::kFinish:
      return Close(now, /*broken=*/false);
  }
  VSOCK_CHECK(false);
}

Application::Step Application::DoSleep(Instant now) {
  if (now < sleeps_till_) return Step::kSleep;
  phase_ = Phase::kNext;
  return Step::kGoOn;
}

// Whenever it goes on, it asks the program again.
Application::Step Application::AwaitWork() {
  if (owed_ > Nanos(0)) return Step::kPay;
  options_.pool->Sleep(*this, chance_);
  return Step::kSleep;
}

// Sending.

Application::Step Application::DoAdmit(Instant now) {
  vsock::Message message = {
      .data = Compose(), .len = left_, .continued = continued_};
  if (is_datagram()) message.to = options_.peer;
  const vsock::SendResult result = layer_.BeginSend(options_.socket, message);
  if (is_datagram() && absl::IsResourceExhausted(result.status)) {
    return Refused(now);
  }
  if (!result.status.ok()) return Close(now, /*broken=*/true);
  if (result.blocked != vsock::Blocked::kNo) {
    if (owed_ > Nanos(0)) return Step::kPay;
    if (blocked_ == vsock::Blocked::kNo) {
      blocked_ = result.blocked;
      blocked_since_ = now;
      ring_wait_before_ = layer_.RingWait(side());
    }
    return WouldSleep(vsock::kWritable) ? Step::kSleep : Step::kGoOn;
  }
  EndBlock(now);
  piece_ = result.accepted;
  owed_ = owed_ + layer_.Charge(options_.socket, result.work, chance_);
  phase_ = Phase::kHandOver;
  return Step::kPay;
}

// ENOBUFS: the datagram is lost, and its sender goes on with the next.
Application::Step Application::Refused(Instant now) {
  EndBlock(now);
  Direction& out = *options_.ends.sends;
  if (out.book != nullptr) out.book->Lost(now, kRefused, message_);
  ++out.messages;
  owed_ = owed_ + layer_.Charge(options_.socket, {.syscalls = 1}, chance_);
  phase_ = Phase::kNext;
  return Step::kPay;
}

// The bytes of the message from here on, as far as they are kept.
const std::byte* Application::Compose() {
  if (!std::exchange(composed_, true)) ComposeAll();
  return payload_is_real() ? buffer_.data() + (message_ - left_)
                           : buffer_.data();
}

void Application::ComposeAll() {
  const Direction& out = *options_.ends.sends;
  if (payload_is_real()) {
    if (buffer_.size() < message_) buffer_.resize(message_);
    FillPattern(out.index, is_datagram() ? DatagramAt(out.messages) : out.sent,
                absl::MakeSpan(buffer_).first(message_));
  }
  if (is_datagram()) {
    const Stamp stamp = {started_, out.index, out.messages};
    std::memcpy(buffer_.data(), &stamp,
                std::min<size_t>(sizeof(stamp), message_));
  }
}

Application::Step Application::DoHandOver() {
  Direction& out = *options_.ends.sends;
  layer_.EndSend(options_.socket);
  owed_ = layer_.FinishCall(options_.socket, Work(), chance_);
  out.sent += piece_;
  left_ -= piece_;
  continued_ = true;
  phase_ = left_ > 0 ? Phase::kAdmit : Phase::kNext;
  if (left_ > 0) return Step::kGoOn;
  ++out.messages;
  if (!is_datagram()) {
    out.under_way.push_back({out.sent, started_});
  }
  if (out.book != nullptr) out.book->Sent(machines_.now(), message_);
  return Step::kGoOn;
}

void Application::EndBlock(Instant now) {
  if (blocked_ == vsock::Blocked::kNo) return;
  FlowBook* book = options_.ends.sends->book;
  if (book != nullptr) {
    book->BlockedFor(std::exchange(blocked_, vsock::Blocked::kNo),
                     blocked_since_, now,
                     layer_.RingWait(side()) - ring_wait_before_);
  }
  blocked_ = vsock::Blocked::kNo;
}

// Receiving.

Application::Step Application::DoAwait() {
  if (!layer_.IsReady(options_.socket, vsock::kReadable)) {
    if (owed_ > Nanos(0)) return Step::kPay;
    if (WouldSleep(vsock::kReadable)) return Step::kSleep;
  }
  ReadPlan plan = layer_.PlanRead(options_.socket, left_);
  if (std::exchange(in_read_, false)) plan.work.syscalls = 0;
  goes_on_ = plan.goes_on;
  piece_ = plan.bytes;
  owed_ = owed_ + layer_.Charge(options_.socket, plan.work, chance_);
  phase_ = Phase::kTake;
  return Step::kPay;
}

Application::Step Application::DoTake(Instant now) {
  const bool datagram = is_datagram();
  // A datagram is taken whole or cut at the caller's buffer; of a stream no
  // more than was paid for.
  const uint32_t most = datagram ? left_ : piece_;
  if (payload_is_real() && buffer_.size() < most) buffer_.resize(most);
  const vsock::ReceiveResult result =
      layer_.Receive(options_.socket, buffer_.data(), most);
  if (!result.status.ok() || result.end_of_stream) {
    return Close(now, !result.status.ok());
  }
  VSOCK_CHECK(result.bytes == piece_);  // what was paid for was done
  owed_ = layer_.FinishCall(options_.socket, Work(), chance_);
  if (datagram) {
    OnDatagram(now + owed_, result);  // the call returns when this is paid
  } else {
    OnStreamBytes(now + owed_, result.bytes);
  }
  left_ -= result.bytes;
  in_read_ = goes_on_ && left_ > 0 &&
             layer_.IsReady(options_.socket, vsock::kReadable);
  const bool more = in_read_ || (exactly_ && left_ > 0);
  phase_ = more ? Phase::kAwait : Phase::kNext;
  return Step::kGoOn;
}

void Application::OnStreamBytes(Instant now, uint32_t bytes) {
  Direction& in = *options_.ends.receives;
  const uint64_t from = std::exchange(in.received, in.received + bytes);
  if (options_.is_sender) options_.book->ReplyBytes(now, bytes);
  if (in.book == nullptr) return;
  if (payload_is_real() &&
      !MatchesPattern(in.index, from,
                      absl::MakeConstSpan(buffer_).first(bytes))) {
    in.book->Mismatch();
  }
  in.book->DeliveredBytes(now, in.index, bytes);
  while (!in.under_way.empty() && in.under_way.front().end <= in.received) {
    in.book->DeliveredMessage(now, now - in.under_way.front().started);
    in.under_way.pop_front();
  }
}

void Application::OnDatagram(Instant now, const vsock::ReceiveResult& result) {
  const SocketLayer::Origin* origin = layer_.FindOrigin(
      options_.sender_side, Scenario::Flow::DGRAM, result.from.port);
  VSOCK_CHECK(origin != nullptr);  // every sender is registered
  FlowBook& book = *origin->book;
  book.DeliveredBytes(now, origin->index, result.bytes);
  if (result.bytes < sizeof(Stamp)) {
    book.DeliveredMessage(now);
    return;
  }
  Stamp stamp;
  std::memcpy(&stamp, buffer_.data(), sizeof(stamp));
  book.DeliveredMessage(now, now - stamp.started);
  if (stamp.index != origin->index ||
      (payload_is_real() && !CarriesPattern(stamp, result.bytes))) {
    book.Mismatch();
  }
}

// Whether what follows the stamp is what was sent.
bool Application::CarriesPattern(const Stamp& stamp, uint32_t bytes) const {
  return MatchesPattern(stamp.index, DatagramAt(stamp.sequence) + sizeof(stamp),
                        absl::MakeConstSpan(buffer_).subspan(
                            sizeof(stamp), bytes - sizeof(stamp)));
}

Application::Step Application::Close(Instant now, bool broken) {
  EndBlock(now);
  phase_ = Phase::kDone;
  FlowBook* book =
      options_.ends.sends == nullptr ? nullptr : options_.ends.sends->book;
  if (broken && book != nullptr) book->ConnectionEnded();
  if (layer_.Close(options_.socket, now).ok()) {
    owed_ = owed_ +
            layer_.FinishCall(options_.socket, Work{.syscalls = 1}, chance_);
  }
  return Step::kSleep;
}

}  // namespace sim
