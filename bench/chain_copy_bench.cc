// A message through the ring into the device's buffer: header and payload in
// one descriptor, in two, in many; in the ring itself or in an indirect table;
// out of payload that is in the caches or in none.
//
// In turn with it, rounds of messages of one descriptor and rounds of plain
// copies, each of the next messages in the same pool: `of_one` and `of_memcpy`
// are the processor time of this shape by theirs, medians over the rounds, and
// `ns` is its own. What of_one says of one descriptor is how exact it is.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "bench/message_line.h"
#include "bench/payload_pool.h"
#include "bench/spread.h"
#include "bench/thread_cpu.h"
#include "benchmark/benchmark.h"

namespace bench {
namespace {

constexpr uint64_t kRoundBytes = 64 << 20;
constexpr uint64_t kMostMessages = 16384;

// What each of so many messages took, in nanoseconds.
template <typename Carry>
double Nanos(uint64_t messages, Carry carry) {
  const std::chrono::nanoseconds begin = ThreadCpu();
  for (uint64_t i = 0; i < messages; ++i) carry();
  const std::chrono::nanoseconds took = ThreadCpu() - begin;
  return static_cast<double>(took.count()) / static_cast<double>(messages);
}

void BM_ChainCopy(benchmark::State& state) {
  const auto payload = static_cast<uint32_t>(state.range(3));
  const uint64_t messages = std::min(kRoundBytes / payload, kMostMessages);
  PayloadPool pool(static_cast<uint64_t>(state.range(4)) << 20, payload);
  MessageLine line({.descriptors = static_cast<uint16_t>(state.range(0)),
                    .indirect = state.range(1) != 0,
                    .copied = state.range(2) != 0},
                   pool);
  MessageLine one({}, pool);
  std::vector<double> nanos, of_one, of_memcpy;
  for (auto _ : state) {
    nanos.push_back(Nanos(messages, [&] { line.Carry(); }));
    of_one.push_back(nanos.back() / Nanos(messages, [&] { one.Carry(); }));
    of_memcpy.push_back(nanos.back() /
                        Nanos(messages, [&] { pool.CopyNext(); }));
  }
  state.counters["ns"] = Median(nanos);
  state.counters["of_one"] = Median(of_one);
  state.counters["of_memcpy"] = Median(of_memcpy);
}
BENCHMARK(BM_ChainCopy)
    ->ArgNames({"descriptors", "indirect", "copied", "payload", "pool_mib"})
    ->ArgsProduct({{1}, {0}, {0, 1}, {64, 4096, 65536}, {1}})
    ->ArgsProduct({{2, 4, 17}, {0, 1}, {0}, {64, 4096, 65536}, {1}})
    ->ArgsProduct({{1}, {0}, {0, 1}, {4096, 65536}, {256}})
    ->ArgsProduct({{2, 4}, {0}, {0}, {4096, 65536}, {256}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(31);

}  // namespace
}  // namespace bench
