// Whole messages, from one application to the other, on one thread: send,
// driver, ring, device, deliver, read, and the way back of buffers and credit.

#include <cstdint>

#include "bench/flow_pair.h"
#include "bench/message_rounds.h"
#include "benchmark/benchmark.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"

namespace bench {
namespace {

using vsock::PayloadMode;
using vsock::Type;

void SendMessages(benchmark::State& state, Type type) {
  const auto bytes = static_cast<uint32_t>(state.range(0));
  const auto batch = static_cast<uint32_t>(state.range(1));
  MessageRounds rounds({.type = type,
                        .to_host = state.range(3) != 0,
                        .message_bytes = bytes,
                        .payload = state.range(2) != 0 ? PayloadMode::kElided
                                                       : PayloadMode::kReal},
                       batch);
  for (auto _ : state) rounds.Run();
  state.SetItemsProcessed(state.iterations() * batch);
  state.SetBytesProcessed(state.iterations() * batch * bytes);
}

void BM_StreamMessages(benchmark::State& state) {
  SendMessages(state, Type::kStream);
}
void BM_DatagramMessages(benchmark::State& state) {
  SendMessages(state, Type::kDgram);
}

// One message at a time has every notification and, in a stream, a credit
// update of its own; sixteen share them. As many as the socket buffers hold.
void Shapes(benchmark::internal::Benchmark* shapes) {
  shapes->ArgNames({"bytes", "batch", "elided", "to_host"});
  shapes->ArgsProduct({{64, 256, 1024, 4096}, {1, 16}, {0, 1}, {1, 0}});
  shapes->ArgsProduct({{16384, 65536}, {1}, {0, 1}, {1, 0}});
}
BENCHMARK(BM_StreamMessages)->Apply(Shapes);
BENCHMARK(BM_DatagramMessages)->Apply(Shapes);

}  // namespace
}  // namespace bench
