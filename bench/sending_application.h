// sending_application.h: sends so many messages, then says so.

#ifndef BENCH_SENDING_APPLICATION_H_
#define BENCH_SENDING_APPLICATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/application.h"
#include "bench/message_pattern.h"
#include "vsock/transport.h"

namespace bench {

class SendingApplication final : public Application {
 public:
  struct Options {
    vsock::SocketId socket;
    uint32_t message_bytes = 0;
    uint64_t messages = 0;
    bool patterned = false;  // else all messages are alike
  };

  // `progress` outlives the application.
  SendingApplication(const Options& options, Progress& progress);

  Outcome Step(vsock::Transport& sockets, bool workers_idle) override;
  bool runnable() const override { return sent_ < options_.messages && awake_; }
  bool finished() const override { return progress_.all_received; }

 private:
  void Send(vsock::Transport& sockets);
  const std::byte* NextBytes(const vsock::Socket& socket);
  Outcome FinishSending(vsock::Transport& sockets, bool workers_idle);

  const Options options_;
  Progress& progress_;
  const MessagePattern pattern_;
  std::vector<std::byte> datagram_;
  uint64_t sent_ = 0;      // messages, whole
  uint32_t accepted_ = 0;  // bytes of the one begun
  bool awake_ = true;
  bool closed_ = false;
};

}  // namespace bench

#endif  // BENCH_SENDING_APPLICATION_H_
