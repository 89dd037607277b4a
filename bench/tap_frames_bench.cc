// Frames over a UNIX stream to a device that reads: one buffer for a frame
// against four iovecs, in turn in one run, one send for each frame or for many.

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "bench/pin.h"
#include "bench/priority.h"
#include "bench/socket_pair.h"
#include "bench/spread.h"
#include "bench/stream_drain.h"
#include "bench/tap_frames.h"
#include "bench/tap_sender.h"
#include "bench/thread_cpu.h"
#include "benchmark/benchmark.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kRoundBytes = 16 << 20;
constexpr uint32_t kMostFrames = 16384;

// What a frame took, in nanoseconds.
struct Taken {
  double cpu = 0;   // of the sender's thread
  double wall = 0;  // until the device had read all
};

class TapLine {
 public:
  explicit TapLine(uint32_t payload_bytes)
      : frames_(static_cast<uint32_t>(std::clamp<uint64_t>(
                    kRoundBytes / payload_bytes, 128, kMostFrames)) /
                128 * 128),
        sockets_(SOCK_STREAM),
        sender_(sockets_.sender()),
        drain_(sockets_) {
    // As passt does: as much as the system gives.
    sockets_.SetSendBuffer(std::numeric_limits<uint32_t>::max());
  }

  // A round of frames, from processor 0 to the device on 1.
  Taken Send(TapFrames& frames, uint32_t batch) {
    Taken taken;
    std::thread program([&] {
      PinToCpu(0);
      Prefer(Priority::kMeasured);
      const Clock::time_point begin = Clock::now();
      const std::chrono::nanoseconds cpu = ThreadCpu();
      SendAll(frames, batch);
      taken.cpu = PerFrame(ThreadCpu() - cpu);
      drain_.Await(bytes_);
      taken.wall = PerFrame(Clock::now() - begin);
    });
    program.join();
    return taken;
  }

  const TapSender& sender() const { return sender_; }
  uint32_t frames() const { return frames_; }  // of a round

 private:
  double PerFrame(std::chrono::nanoseconds round) const {
    return static_cast<double>(round.count()) / frames_;
  }

  void SendAll(TapFrames& frames, uint32_t batch) {
    for (uint32_t sent = 0; sent < frames_; sent += batch) {
      frames.Compose(batch);
      sender_.Send(frames.parts(), frames.frame_bytes());
    }
    bytes_ += frames_ * frames.frame_bytes();
  }

  const uint32_t frames_;
  SocketPair sockets_;
  TapSender sender_;
  StreamDrain drain_;
  uint64_t bytes_ = 0;
};

// Rounds of either shape in turn; the ratios are medians over pairs of rounds.
void BM_TapFrames(benchmark::State& state) {
  const auto payload = static_cast<uint32_t>(state.range(0));
  const auto batch = static_cast<uint32_t>(state.range(1));
  TapLine line(payload);
  TapFrames contiguous(FrameShape::kContiguous, batch, payload);
  TapFrames gathered(FrameShape::kGathered, batch, payload);
  std::vector<double> copy_cpu, gather_cpu, cpu_ratio, wall_ratio;
  for (auto _ : state) {
    const Taken copied = line.Send(contiguous, batch);
    const Taken gather = line.Send(gathered, batch);
    copy_cpu.push_back(copied.cpu);
    gather_cpu.push_back(gather.cpu);
    cpu_ratio.push_back(copied.cpu / gather.cpu);
    wall_ratio.push_back(copied.wall / gather.wall);
  }
  const auto frames = static_cast<double>(state.iterations() * line.frames());
  state.SetItemsProcessed(static_cast<int64_t>(2 * frames));
  state.SetBytesProcessed(static_cast<int64_t>(2 * frames * payload));
  state.counters["copy_cpu_ns"] = Median(copy_cpu);
  state.counters["gather_cpu_ns"] = Median(gather_cpu);
  state.counters["cpu_ratio"] = Median(cpu_ratio);
  state.counters["wall_ratio"] = Median(wall_ratio);
  state.counters["completions"] =
      static_cast<double>(line.sender().completions()) / (2 * frames);
}
BENCHMARK(BM_TapFrames)
    ->ArgNames({"payload", "batch"})
    ->ArgsProduct({{64, 1448, 4096, 16384, 65000}, {1, 32, 128}})
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace bench
