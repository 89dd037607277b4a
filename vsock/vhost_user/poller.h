// poller.h: which of many files have something to do, by epoll.
//
// Handlers run inside Wait, one after another. A handler may add and remove
// files, its own too: what is removed is not called any more.

#ifndef VSOCK_VHOST_USER_POLLER_H_
#define VSOCK_VHOST_USER_POLLER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vsock/units.h"
#include "vsock/vhost_user/file_descriptor.h"

namespace vsock::vhost_user {

class Poller {
 public:
  // Told which of the events (EPOLLIN and so on) there are.
  using Handler = std::function<void(uint32_t events)>;

  static absl::StatusOr<Poller> Create();

  // Calls `handler` when the file has one of `events`. InvalidArgument: it is
  // not a file that one can wait for.
  absl::Status Add(int fd, uint32_t events, Handler handler);
  // Other events than before; none is allowed. `fd` was added.
  void Change(int fd, uint32_t events);
  // Nothing if `fd` was not added. Before the file is closed.
  void Remove(int fd);

  // Waits until a file has events, at most so long (for ever without a limit),
  // and calls the handlers. False if the time ran out.
  bool Wait(std::optional<Nanos> limit);

  // The time, since the poller was made.
  Instant now() const;

 private:
  struct Watch {
    uint64_t key;  // of one Add: a file's number may be used again
    std::shared_ptr<Handler> handler;
  };

  explicit Poller(FileDescriptor epoll)
      : epoll_(std::move(epoll)), begin_(std::chrono::steady_clock::now()) {}

  FileDescriptor epoll_;
  std::chrono::steady_clock::time_point begin_;
  uint64_t next_key_ = 0;
  absl::flat_hash_map<int, Watch> watches_;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_POLLER_H_
