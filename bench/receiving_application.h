// receiving_application.h: reads until nothing more can come, and compares.

#ifndef BENCH_RECEIVING_APPLICATION_H_
#define BENCH_RECEIVING_APPLICATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/application.h"
#include "bench/message_pattern.h"
#include "vsock/transport.h"

namespace bench {

class ReceivingApplication final : public Application {
 public:
  struct Options {
    vsock::SocketId socket;
    uint32_t message_bytes = 0;
    bool patterned = false;  // compare what comes
  };

  // `progress` outlives the application.
  ReceivingApplication(const Options& options, Progress& progress);

  Outcome Step(vsock::Transport& sockets, bool workers_idle) override;
  bool runnable() const override { return awake_ || last_look_; }
  bool finished() const override { return progress_.all_received; }

  uint64_t reads() const { return reads_; }  // datagrams, if it is such
  uint64_t bytes() const { return bytes_; }
  // All that came was what was sent, in order.
  bool intact() const { return intact_; }

 private:
  bool Receive(vsock::Transport& sockets);
  void Compare(const vsock::Socket& socket, uint32_t bytes);

  const Options options_;
  Progress& progress_;
  const MessagePattern pattern_;
  std::vector<std::byte> buffer_;
  uint64_t reads_ = 0;
  uint64_t bytes_ = 0;
  uint64_t next_datagram_ = 0;
  bool intact_ = true;
  bool awake_ = true;
  bool last_look_ = false;  // all was sent before the workers last ran
};

}  // namespace bench

#endif  // BENCH_RECEIVING_APPLICATION_H_
