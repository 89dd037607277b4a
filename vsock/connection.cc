#include "vsock/connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "virtqueue/check.h"
#include "vsock/socket_error.h"
#include "vsock/truesize.h"

namespace vsock {
namespace {

// Payloads up to this size are copied behind the last queued packet if its
// socket buffer has room (GOOD_COPY_LEN).
constexpr uint32_t kMergeLimit = 128;

}  // namespace

Connection::Reaction Connection::OnPacket(PacketPtr packet) {
  uint32_t events = credit_.OnPeer(packet->hdr) ? kWritable : 0;
  Reaction reaction;
  switch (state_) {
    case State::kConnecting:
      reaction = OnConnecting(*packet);
      break;
    case State::kEstablished:
    case State::kClosing:
      reaction = OnOpen(std::move(packet));
      break;
    case State::kClosed:
      reaction.unexpected = !packet->hdr.is(Op::kRst);
      events = 0;
      break;
  }
  reaction.events |= events;
  return reaction;
}

Connection::Reaction Connection::OnConnecting(const Packet& packet) {
  switch (packet.hdr.operation()) {
    case Op::kResponse:
      state_ = State::kEstablished;
      return {.events = kConnected | kWritable};
    case Op::kRst:
      End(Error::kReset);
      return {.events = kAllEvents};
    case Op::kInvalid:
    case Op::kRequest:
    case Op::kShutdown:
    case Op::kRw:
    case Op::kCreditUpdate:
    case Op::kCreditRequest:
      break;
  }
  End(Error::kProtocol);
  return {.reply = Op::kRst, .events = kAllEvents};
}

Connection::Reaction Connection::OnOpen(PacketPtr packet) {
  switch (packet->hdr.operation()) {
    case Op::kRw:
      return OnRw(std::move(packet));
    case Op::kShutdown:
      return OnShutdown(packet->hdr.flags);
    case Op::kRst:
      End(Error::kNone);  // the end of the stream for readers, EPIPE to writers
      return {.events = kAllEvents};
    case Op::kCreditUpdate:
      return {};
    case Op::kCreditRequest:
      return {.reply = Op::kCreditUpdate};
    case Op::kInvalid:
    case Op::kRequest:
    case Op::kResponse:
      break;
  }
  return {.unexpected = true};
}

Connection::Reaction Connection::OnRw(PacketPtr packet) {
  const uint32_t len = packet->hdr.len;
  if (state_ == State::kClosing) return {.discarded = true};
  if (len == 0) return {};
  if (!WithinOverhead() || !credit_.Accept(len)) {
    End(Error::kNoBuffers);  // never silent: the peer learns of the loss
    return {.reply = Op::kRst, .events = kAllEvents, .discarded = true};
  }
  if (!MergeIntoLast(*packet)) queue_.PushBack(std::move(packet));
  return {.events = kReadable};
}

Connection::Reaction Connection::OnShutdown(uint32_t hints) {
  const bool had_both = peer_shutdown_ == kShutdownBoth;
  peer_shutdown_ |= hints & kShutdownBoth;
  Reaction reaction = {.events = kReadable | kWritable};
  if (peer_shutdown_ != kShutdownBoth || HasReader()) return reaction;
  // RST confirms that the flow's ports are free.
  if (state_ == State::kEstablished) {
    End(Error::kNone);
    return {.reply = Op::kRst, .events = kAllEvents};
  }
  if (!had_both) reaction.reply = Op::kRst;
  return reaction;
}

Op Connection::ShutDown(uint32_t hints) {
  shutdown_ |= hints;
  if (peer_shutdown_ != kShutdownBoth || HasReader()) return Op::kShutdown;
  End(Error::kNone);
  return Op::kRst;
}

// Whether something is queued that may yet be read.
bool Connection::HasReader() const {
  return credit_.rx_bytes() > 0 && (shutdown_ & kShutdownReceive) == 0;
}

bool Connection::WithinOverhead() const {
  if (limit_ == ReceiveLimit::kBytes) return true;
  return (uint64_t{queue_.size()} + 1) * kSkbOverhead <= credit_.buf_alloc();
}

bool Connection::MergeIntoLast(const Packet& packet) {
  Packet* last = queue_.back();
  const uint32_t len = packet.hdr.len;
  if (last == nullptr || len > kMergeLimit) return false;
  if (last->capacity - last->hdr.len < len) return false;
  if (last->pool->mode() == PayloadMode::kReal) {
    std::memcpy(last->data + last->hdr.len, packet.data, len);
  }
  last->hdr.len = last->hdr.len + len;
  return true;
}

uint32_t Connection::Read(std::byte* out, uint32_t max) {
  uint32_t done = 0;
  while (done < max && !queue_.empty()) {
    Packet* packet = queue_.front();
    const uint32_t take = std::min(max - done, packet->remaining());
    if (out != nullptr && packet->pool->mode() == PayloadMode::kReal) {
      std::memcpy(out + done, packet->data + packet->offset, take);
    }
    packet->offset += take;
    credit_.OnRead(take);
    done += take;
    if (packet->remaining() == 0) {
      credit_.OnFreed(packet->hdr.len);
      queue_.PopFront();
    }
  }
  return done;
}

Op Connection::Close() {
  shutdown_ = kShutdownBoth;
  switch (state_) {
    case State::kConnecting:
    case State::kClosed:
      state_ = State::kClosed;
      return Op::kInvalid;
    case State::kEstablished:
      break;
    case State::kClosing:
      return Op::kInvalid;
  }
  if (peer_shutdown_ == kShutdownBoth) {
    End(Error::kNone);
    return Op::kRst;
  }
  queue_.Clear();
  credit_.Discard();
  state_ = State::kClosing;
  return Op::kShutdown;
}

Op Connection::TimeOut() {
  const bool owes_rst = state_ == State::kClosing;
  End(Error::kTimedOut);
  return owes_rst ? Op::kRst : Op::kInvalid;
}

Op Connection::FailForMemory() {
  End(Error::kNoBuffers);
  return Op::kRst;
}

Op Connection::FailForProtocol() {
  End(Error::kProtocol);
  return Op::kRst;
}

absl::Status Connection::ErrorStatus() const {
  switch (error_) {
    case Error::kNone:
      return absl::OkStatus();
    case Error::kReset:
      return ConnectionReset("the peer refused the connection");
    case Error::kProtocol:
      return ProtocolError("5.10.6: the peer broke a rule of the connection");
    case Error::kNoBuffers:
      return NoBuffers("5.10.6.3: the peer sent beyond its credit");
    case Error::kTimedOut:
      return TimedOut("no answer from the peer");
  }
  return absl::OkStatus();
}

void Connection::End(Error error) {
  ended_when_open_ |= state_ == State::kEstablished;
  state_ = State::kClosed;
  peer_shutdown_ = kShutdownBoth;
  if (error_ == Error::kNone) error_ = error;
}

}  // namespace vsock
