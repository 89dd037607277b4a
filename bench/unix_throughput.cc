#include "bench/unix_throughput.h"

#include <errno.h>
#include <sys/socket.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "bench/pin.h"
#include "bench/priority.h"
#include "bench/socket_pair.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

class Transfer {
 public:
  explicit Transfer(const UnixBulk& bulk) : bulk_(bulk), sockets_(bulk.type) {
    sockets_.SetSendBuffer(bulk.send_buffer);
  }

  // False if a message is too big for the buffer.
  bool Fits() {
    const std::vector<std::byte> message(bulk_.message_bytes);
    const ssize_t sent =
        send(sockets_.sender(), message.data(), message.size(), MSG_DONTWAIT);
    VSOCK_CHECK(sent >= 0 || errno == EMSGSIZE);
    return sent >= 0;
  }

  double BytesPerSecond(const Timing& timing) {
    double rate = 0;
    std::thread reader([this] { Read(); });
    std::thread writer([this] { Write(); });
    std::thread watcher([&] { rate = Watch(timing); });
    watcher.join();
    writer.join();
    sockets_.EndSending();
    reader.join();
    return rate;
  }

 private:
  // Of the window, after which the writer stops.
  double Watch(const Timing& timing) {
    Prefer(Priority::kWatching);
    std::this_thread::sleep_for(timing.warm_up);
    const Clock::time_point begin = Clock::now();
    const uint64_t before = received_.load();
    std::this_thread::sleep_for(timing.window);
    const uint64_t bytes = received_.load() - before;
    const std::chrono::duration<double> window = Clock::now() - begin;
    stop_ = true;
    return static_cast<double>(bytes) / window.count();
  }

  void Write() {
    PinToCpu(0);
    Prefer(Priority::kMeasured);
    const std::vector<std::byte> message(bulk_.message_bytes);
    while (!stop_.load(std::memory_order_relaxed)) {
      const ssize_t sent =
          send(sockets_.sender(), message.data(), message.size(), MSG_NOSIGNAL);
      VSOCK_CHECK(sent > 0 || errno == EINTR);
    }
  }

  void Read() {
    PinToCpu(1);
    Prefer(Priority::kMeasured);
    std::vector<std::byte> buffer(bulk_.read_bytes);
    for (;;) {
      const ssize_t got =
          recv(sockets_.receiver(), buffer.data(), buffer.size(), 0);
      VSOCK_CHECK(got >= 0 || errno == EINTR);
      if (got == 0) return;
      if (got > 0) {
        received_.store(received_.load(std::memory_order_relaxed) +
                            static_cast<uint64_t>(got),
                        std::memory_order_relaxed);
      }
    }
  }

  const UnixBulk bulk_;
  SocketPair sockets_;
  alignas(64) std::atomic<bool> stop_ = false;
  alignas(64) std::atomic<uint64_t> received_ = 0;  // the reader alone adds
};

}  // namespace

absl::StatusOr<Spread> MeasureUnixThroughput(const UnixBulk& bulk,
                                             const Timing& timing) {
  std::vector<double> rates;
  for (uint32_t i = 0; i < timing.repetitions; ++i) {
    Transfer transfer(bulk);
    if (!transfer.Fits()) {
      return absl::InvalidArgumentError("EMSGSIZE: larger than SO_SNDBUF");
    }
    rates.push_back(transfer.BytesPerSecond(timing));
  }
  return SpreadOf(rates);
}

}  // namespace bench
