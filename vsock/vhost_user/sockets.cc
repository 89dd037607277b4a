#include "vsock/vhost_user/sockets.h"

#include <algorithm>

namespace vsock::vhost_user {

void Sockets::Enqueue(SocketId socket, Entry& entry) {
  if (entry.queued) return;
  entry.queued = true;
  ready_.push_back(socket);
}

void Sockets::WaitFor(SocketId socket, uint32_t events, SocketUser& user) {
  Entry& entry = entries_[socket];
  entry.user = &user;
  if (transport_.WaitFor(socket, events)) Enqueue(socket, entry);
}

void Sockets::WaitUntil(SocketId socket, Instant at, SocketUser& user) {
  Entry& entry = entries_[socket];
  entry.user = &user;
  if (entry.at.has_value()) timers_.erase({*entry.at, socket});
  entry.at = at;
  timers_.insert({at, socket});
}

void Sockets::RunAgain(SocketId socket, SocketUser& user) {
  Entry& entry = entries_[socket];
  entry.user = &user;
  Enqueue(socket, entry);
}

void Sockets::Close(SocketId socket, Instant now) {
  const auto found = entries_.find(socket);
  if (found != entries_.end()) {
    if (found->second.at.has_value()) {
      timers_.erase({*found->second.at, socket});
    }
    entries_.erase(found);
  }
  // A socket that is there no more needs no closing.
  transport_.Close(socket, now).IgnoreError();
}

void Sockets::CollectDue(Instant now) {
  transport_.OnDeadline(now);
  transport_.TakeWakes([&](const Wake& wake) {
    const auto found = entries_.find(wake.socket);
    if (found != entries_.end()) Enqueue(wake.socket, found->second);
  });
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const SocketId socket = timers_.begin()->second;
    timers_.erase(timers_.begin());
    Entry& entry = entries_[socket];
    entry.at.reset();
    Enqueue(socket, entry);
  }
}

void Sockets::Run(Instant now) {
  CollectDue(now);
  for (size_t left = ready_.size(); left > 0; --left) {
    const SocketId socket = ready_.front();
    ready_.pop_front();
    const auto found = entries_.find(socket);
    if (found == entries_.end()) continue;  // closed meanwhile
    found->second.queued = false;
    found->second.user->OnReady(socket, now);
  }
}

std::optional<Instant> Sockets::NextDeadline() const {
  std::optional<Instant> next = transport_.NextDeadline();
  if (timers_.empty()) return next;
  const Instant timer = timers_.begin()->first;
  return next.has_value() ? std::min(*next, timer) : timer;
}

}  // namespace vsock::vhost_user
