#include "vsock/vhost_user/poller.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"

namespace vsock::vhost_user {
namespace {

constexpr int kBatch = 64;

// epoll gives 64 bits back: the file, and the lower half of the key.
uint64_t Token(int fd, uint64_t key) {
  return key << 32 | static_cast<uint32_t>(fd);
}

// Rounded up, so that what is due is due when the time has run out.
int Milliseconds(std::optional<Nanos> limit) {
  if (!limit.has_value()) return -1;
  constexpr int64_t kPerMilli = 1'000'000;
  const int64_t nanos = std::max<int64_t>(limit->value(), 0);
  return static_cast<int>(
      std::min<int64_t>((nanos + kPerMilli - 1) / kPerMilli, 1 << 30));
}

}  // namespace

absl::StatusOr<Poller> Poller::Create() {
  FileDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) {
    return absl::InternalError(
        absl::StrCat("epoll_create1: ", std::strerror(errno)));
  }
  return Poller(std::move(epoll));
}

absl::Status Poller::Add(int fd, uint32_t events, Handler handler) {
  VSOCK_CHECK(!watches_.contains(fd));
  const uint64_t key = next_key_++;
  epoll_event event = {.events = events, .data = {.u64 = Token(fd, key)}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a file that can't be waited for: ", std::strerror(errno)));
  }
  watches_.emplace(
      fd, Watch{.key = key,
                .handler = std::make_shared<Handler>(std::move(handler))});
  return absl::OkStatus();
}

void Poller::Change(int fd, uint32_t events) {
  const auto found = watches_.find(fd);
  VSOCK_CHECK(found != watches_.end());
  epoll_event event = {.events = events,
                       .data = {.u64 = Token(fd, found->second.key)}};
  VSOCK_CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void Poller::Remove(int fd) {
  if (watches_.erase(fd) == 0) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

bool Poller::Wait(std::optional<Nanos> limit) {
  std::array<epoll_event, kBatch> events;
  const int count =
      epoll_wait(epoll_.get(), events.data(), kBatch, Milliseconds(limit));
  for (int i = 0; i < count; ++i) {
    const uint64_t token = events[i].data.u64;
    const int fd = static_cast<int>(static_cast<uint32_t>(token));
    const auto found = watches_.find(fd);
    if (found == watches_.end() || Token(fd, found->second.key) != token) {
      continue;  // removed by a handler before it
    }
    const std::shared_ptr<Handler> handler = found->second.handler;
    (*handler)(events[i].events);
  }
  return count > 0;
}

Instant Poller::now() const {
  const std::chrono::nanoseconds since =
      std::chrono::steady_clock::now() - begin_;
  return Instant(since.count());
}

}  // namespace vsock::vhost_user
