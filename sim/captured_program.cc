#include "sim/captured_program.h"

#include <cstddef>
#include <utility>

#include "vsock/connection.h"
#include "vsock/credit.h"
#include "vsock/hdr.h"
#include "vsock/socket.h"
#include "vsock/transport.h"
#include "vsock/work.h"

namespace sim {

using vsock::Instant;
using vsock::Nanos;
using vsock::Work;

CapturedProgram::CapturedProgram(Machines& machines, LoopbackSockets& sockets,
                                 Options options)
    : machines_(machines),
      sockets_(sockets),
      options_(std::move(options)),
      chance_(machines.ChanceOf(options_.name)),
      alarm_(*this),
      socket_(options_.socket) {}

std::optional<Nanos> CapturedProgram::Run(Instant now) {
  Turn turn = Turn::kGoOn;
  while (turn == Turn::kGoOn && !done()) {
    turn = Do(options_.steps[next_], now);
  }
  // A sleeper first pays what it owes, then looks again.
  if (owed_ > Nanos(0)) return std::exchange(owed_, Nanos(0));
  return std::nullopt;
}

CapturedProgram::Turn CapturedProgram::Do(const CapturedStep& step,
                                          Instant now) {
  switch (step.kind) {
    case CapturedStep::Kind::kSleepUntil:
      return DoSleepUntil(step.at, now);
    case CapturedStep::Kind::kConnect:
      return DoConnect(now);
    case CapturedStep::Kind::kAccept:
      return DoAccept();
    case CapturedStep::Kind::kWrite:
      return DoWrite(step.bytes);
    case CapturedStep::Kind::kRead:
    case CapturedStep::Kind::kReadSome:
    case CapturedStep::Kind::kReadAll:
      return DoRead(step, now);
    case CapturedStep::Kind::kShutDown:
      (void)sockets_.ShutDown(socket_, step.bytes);
      return EndCall();
    case CapturedStep::Kind::kClose:
      (void)sockets_.Close(socket_, now);
      return EndCall();
  }
  return Turn::kSleep;
}

CapturedProgram::Turn CapturedProgram::DoSleepUntil(Instant at, Instant now) {
  if (now >= at) return EndStep();
  if (!std::exchange(begun_, true)) alarm_.Set(at);
  return Turn::kSleep;
}

CapturedProgram::Turn CapturedProgram::DoConnect(Instant now) {
  if (!std::exchange(begun_, true)) {
    (void)sockets_.Connect(socket_, options_.peer, now);
    owed_ = sockets_.FinishCall(socket_, Work{.syscalls = 1}, chance_);
    return Turn::kPay;
  }
  const Turn turn = Await(vsock::kConnected);
  return turn == Turn::kGoOn ? EndStep() : turn;
}

CapturedProgram::Turn CapturedProgram::DoAccept() {
  const absl::StatusOr<vsock::SocketId> child =
      sockets_.Accept(options_.socket);
  if (!child.ok()) return Await(vsock::kAcceptable);
  socket_.id = *child;
  owed_ = sockets_.Charge(socket_, {.syscalls = 1}, chance_);
  EndStep();
  return Turn::kPay;
}

CapturedProgram::Turn CapturedProgram::DoWrite(uint32_t bytes) {
  if (std::exchange(paid_, false)) {
    sockets_.EndSend(socket_);
    owed_ = sockets_.FinishCall(socket_, Work(), chance_);
    done_ += piece_;
    return done_ == bytes ? EndStep() : Turn::kGoOn;
  }
  const vsock::SendResult result = sockets_.BeginSend(
      socket_, {.len = bytes - done_, .continued = done_ > 0});
  if (!result.status.ok()) return EndStep();
  if (result.blocked != vsock::Blocked::kNo) return Await(vsock::kWritable);
  piece_ = result.accepted;
  paid_ = true;
  owed_ = owed_ + sockets_.Charge(socket_, result.work, chance_);
  return Turn::kPay;
}

CapturedProgram::Turn CapturedProgram::DoRead(const CapturedStep& step,
                                              Instant now) {
  if (now < resumes_) return Turn::kSleep;
  if (std::exchange(paid_, false)) return Take(step, now);
  const Turn turn = Await(vsock::kReadable);
  if (turn != Turn::kGoOn) return turn;
  const bool exactly = step.kind == CapturedStep::Kind::kRead;
  piece_ = step.bytes - (exactly ? done_ : 0);
  paid_ = true;
  owed_ =
      owed_ + sockets_.Charge(socket_, sockets_.PlanRead(socket_, piece_).work,
                              chance_);
  return Turn::kPay;
}

CapturedProgram::Turn CapturedProgram::Take(const CapturedStep& step,
                                            Instant now) {
  const vsock::ReceiveResult result = Receive();
  owed_ = sockets_.FinishCall(socket_, Work(), chance_);
  done_ += result.bytes;
  const bool over =
      result.end_of_stream || !result.status.ok() ||
      step.kind == CapturedStep::Kind::kReadSome ||
      (step.kind == CapturedStep::Kind::kRead && done_ == step.bytes);
  if (over) return EndStep();
  if (step.pause > Nanos(0)) {
    resumes_ = now + owed_ + step.pause;
    alarm_.Set(resumes_);
  }
  return Turn::kGoOn;
}

// Restates the rule for updates (Linux virtio_transport_stream_do_dequeue, with
// SO_RCVLOWAT 1) from what the socket held before and after.
vsock::ReceiveResult CapturedProgram::Receive() {
  const vsock::Connection& connection = *sockets_.Find(socket_)->connection;
  const vsock::Credit& credit = connection.credit();
  const uint32_t announced = credit.announced_fwd_cnt();
  const vsock::ReceiveResult result =
      sockets_.Receive(socket_, nullptr, piece_);
  const uint32_t news = credit.fwd_cnt() - announced;
  const bool due =
      connection.state() == vsock::Connection::State::kEstablished &&
      news > 0 &&
      (credit.buf_alloc() - news < vsock::kMaxPayload ||
       credit.rx_bytes() == 0);
  const bool sent = credit.announced_fwd_cnt() != announced;
  untimely_updates_ += due != sent;
  return result;
}

// Sleeps unless one of `events` holds.
CapturedProgram::Turn CapturedProgram::Await(uint32_t events) {
  if (sockets_.IsReady(socket_, events)) return Turn::kGoOn;
  if (owed_ > Nanos(0)) return Turn::kPay;
  return sockets_.Sleep(socket_, events, *this, chance_) ? Turn::kGoOn
                                                         : Turn::kSleep;
}

CapturedProgram::Turn CapturedProgram::EndCall() {
  owed_ = owed_ + sockets_.FinishCall(socket_, Work{.syscalls = 1}, chance_);
  EndStep();
  return Turn::kPay;
}

CapturedProgram::Turn CapturedProgram::EndStep() {
  ++next_;
  begun_ = paid_ = false;
  done_ = piece_ = 0;
  return Turn::kGoOn;
}

}  // namespace sim
