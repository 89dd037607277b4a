#include "vsock/vhost_user/bridge.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/types/span.h"
#include "vsock/hdr.h"
#include "vsock/transport.h"
#include "vsock/vhost_user/unix_socket.h"

namespace vsock::vhost_user {
namespace {

// Reads of one direction in one round.
constexpr int kCallsPerRound = 8;

using Buffer = std::array<std::byte, kMaxPayload>;

// The payload in the hands of the bridge that runs.
Buffer& Scratch() {
  static Buffer* const buffer = new Buffer;
  return *buffer;
}

}  // namespace

Bridge::Bridge(Ends ends, Sockets& sockets, SocketUser& user, Poller& poller)
    : guest_(ends.guest),
      unix_(std::move(ends.unix_socket)),
      sockets_(sockets),
      user_(user),
      poller_(poller) {}

Bridge::~Bridge() {
  if (is_watched_) poller_.Remove(fd());
}

const Connection* Bridge::connection() const {
  const Socket* socket = sockets_.transport().Find(guest_);
  return socket == nullptr ? nullptr : &*socket->connection;
}

bool Bridge::Pump() {
  const Flow to_unix = ToUnix();
  const Flow to_guest = ToGuest();
  if (to_unix == Flow::kFailed || to_guest == Flow::kFailed || IsOver()) {
    return false;
  }
  if (to_unix == Flow::kMore || to_guest == Flow::kMore) {
    sockets_.RunAgain(guest_, user_);
  }
  Watch();
  return true;
}

// Guest to host.

Bridge::Flow Bridge::ToUnix() {
  for (int i = 0; i < kCallsPerRound; ++i) {
    if (!Flush()) return Flow::kFailed;
    if (!unwritten_.empty() || guest_ended_) return Flow::kWaits;
    const ReceiveResult got =
        sockets_.transport().Receive(guest_, Scratch().data(), kMaxPayload);
    if (got.would_block) {
      sockets_.WaitFor(guest_, kReadable, user_);
      return Flow::kWaits;
    }
    if (!got.status.ok()) return Flow::kFailed;
    if (got.end_of_stream) {
      EndToUnix();
      return Flow::kWaits;
    }
    unwritten_.assign(Scratch().begin(), Scratch().begin() + got.bytes);
    written_ = 0;
  }
  return Flow::kMore;
}

// False if the socket takes nothing any more.
bool Bridge::Flush() {
  while (written_ < unwritten_.size()) {
    const Moved moved =
        WriteSome(fd(), absl::MakeConstSpan(unwritten_).subspan(written_));
    if (!moved.status.ok()) return false;
    if (moved.would_block) return true;
    written_ += moved.bytes;
  }
  unwritten_.clear();
  written_ = 0;
  return true;
}

void Bridge::EndToUnix() {
  guest_ended_ = true;
  shutdown(fd(), SHUT_WR);
}

// Host to guest.

Bridge::Flow Bridge::ToGuest() {
  Transport& transport = sockets_.transport();
  for (int i = 0; i < kCallsPerRound && !unix_ended_; ++i) {
    if (connection()->Broken()) {
      unix_ended_ = true;  // the guest takes no more
      shutdown(fd(), SHUT_RD);
      return Flow::kWaits;
    }
    const uint32_t room = connection()->credit().Space();
    if (room == 0) {
      sockets_.WaitFor(guest_, kWritable, user_);
      return Flow::kWaits;
    }
    const Moved got = ReadSome(
        fd(), absl::MakeSpan(Scratch()).first(std::min(room, kMaxPayload)));
    if (!got.status.ok()) return Flow::kFailed;
    if (got.would_block) return Flow::kWaits;
    if (got.ended) {
      unix_ended_ = true;
      return transport.ShutDown(guest_, kShutdownSend).ok() ? Flow::kWaits
                                                            : Flow::kFailed;
    }
    const auto bytes = static_cast<uint32_t>(got.bytes);
    const SendResult sent =
        transport.Send(guest_, {.data = Scratch().data(), .len = bytes});
    if (sent.accepted != bytes) return Flow::kFailed;
  }
  return unix_ended_ ? Flow::kWaits : Flow::kMore;
}

bool Bridge::IsOver() const {
  if (unix_ended_ && unix_gone_) return true;
  const bool all_written = guest_ended_ && unwritten_.empty();
  return all_written && (unix_ended_ || connection()->Broken());
}

// What to wait for at the AF_UNIX socket. One that has gone says so for ever,
// so it is looked at only while there is something to be had from it.
void Bridge::Watch() {
  const bool wants_bytes = !unix_ended_ && connection()->credit().Space() > 0;
  const uint32_t events = (wants_bytes ? uint32_t{EPOLLIN} : 0) |
                          (unwritten_.empty() ? 0 : uint32_t{EPOLLOUT});
  if (unix_gone_ && events == 0) {
    if (is_watched_) poller_.Remove(fd());
    is_watched_ = false;
  } else if (!is_watched_) {
    is_watched_ =
        poller_.Add(fd(), events, [this](uint32_t got) { OnUnix(got); }).ok();
  } else if (events != watched_) {
    poller_.Change(fd(), events);
  }
  watched_ = events;
}

void Bridge::OnUnix(uint32_t events) {
  unix_gone_ |= (events & (EPOLLHUP | EPOLLERR)) != 0;
  sockets_.RunAgain(guest_, user_);
}

}  // namespace vsock::vhost_user
