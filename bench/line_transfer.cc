#include "bench/line_transfer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bench/doorbell.h"
#include "bench/pin.h"

namespace bench {
namespace {

constexpr uint32_t kRounds = 2000;
constexpr size_t kBatches = 5;

struct Lines {
  alignas(64) std::atomic<uint32_t> ping = 0;
  alignas(64) std::atomic<uint32_t> pong = 0;
};

void AwaitValue(const std::atomic<uint32_t>& word, uint32_t value) {
  while (word.load(std::memory_order_acquire) != value) Relax();
}

void Answer(Lines& lines) {
  PinToCpu(1);
  for (uint32_t i = 1; i <= kRounds * kBatches; ++i) {
    AwaitValue(lines.ping, i);
    lines.pong.store(i, std::memory_order_release);
  }
}

}  // namespace

double LineTransferNanos() {
  using Clock = std::chrono::steady_clock;
  Lines lines;
  std::array<double, kBatches> nanos;
  std::thread answerer([&] { Answer(lines); });
  std::thread asker([&] {
    PinToCpu(0);
    uint32_t i = 0;
    for (double& batch : nanos) {
      const Clock::time_point begin = Clock::now();
      for (uint32_t round = 0; round < kRounds; ++round) {
        lines.ping.store(++i, std::memory_order_release);
        AwaitValue(lines.pong, i);
      }
      batch = std::chrono::duration<double, std::nano>(Clock::now() - begin)
                  .count() /
              (2 * kRounds);
    }
  });
  answerer.join();
  asker.join();
  std::nth_element(nanos.begin(), nanos.begin() + kBatches / 2, nanos.end());
  return nanos[kBatches / 2];
}

}  // namespace bench
