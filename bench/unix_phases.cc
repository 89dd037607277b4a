#include "bench/unix_phases.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <thread>

#include "bench/doorbell.h"
#include "bench/pin.h"
#include "bench/priority.h"
#include "bench/probe.h"
#include "bench/socket_pair.h"
#include "bench/spread.h"
#include "bench/thread_cpu.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

constexpr uint32_t kPhases = 60;
constexpr uint32_t kWarmUp = 5;  // phases that do not count
constexpr uint32_t kRoundTrips = 200;

class PhasedExchange {
 public:
  explicit PhasedExchange(const UnixPhases& phases)
      : phases_(phases), sockets_(phases.type) {
    sockets_.SetSendBuffer(std::numeric_limits<uint32_t>::max());
  }

  UnixPhaseNanos Run() {
    UnixPhaseNanos nanos;
    std::thread writer([&] { nanos.write = Take(/*turn=*/0); });
    std::thread reader([&] { nanos.read = Take(/*turn=*/1); });
    writer.join();
    reader.join();
    return nanos;
  }

 private:
  // Every second phase, on the processor of that number.
  double Take(uint32_t turn) {
    PinToCpu(turn);
    Prefer(Priority::kMeasured);
    std::vector<std::byte> buffer(
        std::max(phases_.message_bytes, phases_.read_bytes));
    const double clock = CpuNanosPerRound(100, [] { ThreadCpu(); });
    std::vector<double> values;
    for (uint32_t phase = 0; phase < kWarmUp + kPhases; ++phase) {
      while (phase_.load() != 2 * phase + turn) Relax();
      const std::chrono::nanoseconds begin = ThreadCpu();
      turn == 0 ? Write(buffer) : Read(buffer);
      const auto used = static_cast<double>((ThreadCpu() - begin).count());
      ++phase_;
      if (phase >= kWarmUp) {
        values.push_back((used - clock) / phases_.messages);
      }
    }
    return SpreadOf(values).low;
  }

  void Write(const std::vector<std::byte>& buffer) {
    for (uint32_t i = 0; i < phases_.messages; ++i) {
      VSOCK_CHECK(send(sockets_.sender(), buffer.data(), phases_.message_bytes,
                       MSG_DONTWAIT) == phases_.message_bytes);
    }
  }

  void Read(std::vector<std::byte>& buffer) {
    const uint64_t all = uint64_t{phases_.messages} * phases_.message_bytes;
    for (uint64_t read = 0; read < all;) {
      const ssize_t got = recv(sockets_.receiver(), buffer.data(),
                               phases_.read_bytes, MSG_DONTWAIT);
      VSOCK_CHECK(got > 0);
      read += static_cast<uint64_t>(got);
    }
  }

  const UnixPhases phases_;
  SocketPair sockets_;
  alignas(64) std::atomic<uint32_t> phase_ = 0;  // even: the writer's
};

void Pass(int from, int to) {
  std::byte byte;
  VSOCK_CHECK(recv(from, &byte, 1, 0) == 1);
  VSOCK_CHECK(send(to, &byte, 1, MSG_NOSIGNAL) == 1);
}

double RoundTripNanos(SocketPair& sockets) {
  using Clock = std::chrono::steady_clock;
  std::thread answerer([&] {
    PinToCpu(1);
    Prefer(Priority::kMeasured);
    for (uint32_t i = 0; i < kRoundTrips; ++i) {
      Pass(sockets.receiver(), sockets.receiver());
    }
  });
  std::byte byte{};
  const Clock::time_point begin = Clock::now();
  VSOCK_CHECK(send(sockets.sender(), &byte, 1, 0) == 1);
  for (uint32_t i = 1; i < kRoundTrips; ++i) {
    Pass(sockets.sender(), sockets.sender());
  }
  VSOCK_CHECK(recv(sockets.sender(), &byte, 1, 0) == 1);
  const std::chrono::nanoseconds all = Clock::now() - begin;
  answerer.join();
  return static_cast<double>(all.count()) / kRoundTrips;
}

}  // namespace

UnixPhaseNanos MeasureUnixPhases(const UnixPhases& phases) {
  return PhasedExchange(phases).Run();
}

std::vector<double> UnixRoundTripNanos(uint32_t repetitions) {
  SocketPair sockets(SOCK_STREAM);
  return Repeat(repetitions, [&] { return RoundTripNanos(sockets); });
}

}  // namespace bench
