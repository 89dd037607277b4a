// The header of a packet: written by its sender, copied out of a chain once,
// and judged as a copy.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/split_ring.h"
#include "vsock/hdr.h"
#include "vsock/units.h"

namespace bench {
namespace {

using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::GuestAddr;
using virtqueue::OwnedGuestMemory;
using vsock::kHdrBytes;
using vsock::VsockHdr;

constexpr uint16_t kRingSize = 64;
constexpr vsock::Address kGuest = {vsock::Cid(3), vsock::Port(77)};
constexpr vsock::Address kHost = {vsock::kCidHost, vsock::Port(10)};

VsockHdr DatagramHdr() {
  VsockHdr hdr;
  hdr.set_source(kGuest);
  hdr.set_destination(kHost);
  hdr.set(vsock::Type::kDgram, vsock::Op::kRw);
  return hdr;
}

// A popped chain that holds a header in `pieces` descriptors.
class ChainWithHdr {
 public:
  explicit ChainWithHdr(uint32_t pieces)
      : memory_(*OwnedGuestMemory::Create(1 << 16)),
        addrs_(virtqueue::LaySplitRing(
            memory_.Allocate(virtqueue::SplitRingBytes(kRingSize),
                             virtqueue::kCacheLine),
            kRingSize)),
        driver_(*DriverQueue::Create(memory_.memory(), addrs_,
                                     {.size = kRingSize})),
        device_(*DeviceQueue::Create(memory_.memory(), addrs_,
                                     {.size = kRingSize})) {
    const GuestAddr at = memory_.Allocate(kHdrBytes, virtqueue::kCacheLine);
    const VsockHdr hdr = DatagramHdr();
    std::memcpy(memory_.memory().TrySlice(at, kHdrBytes).data(), &hdr,
                kHdrBytes);
    std::vector<DriverQueue::Buffer> buffers;
    for (uint32_t i = 0, done = 0; i < pieces; ++i) {
      const uint32_t end = (i + 1) * kHdrBytes / pieces;
      buffers.push_back({at + done, end - done});
      done = end;
    }
    VSOCK_CHECK(driver_.Add(buffers, {}, /*token=*/0) ==
                DriverQueue::AddResult::kAdded);
    driver_.Publish();
    VSOCK_CHECK(device_.Pop(chain_) == DeviceQueue::PopResult::kChain);
  }

  const virtqueue::Chain& chain() const { return chain_; }

 private:
  OwnedGuestMemory memory_;
  virtqueue::SplitRingAddrs addrs_;
  DriverQueue driver_;
  DeviceQueue device_;
  virtqueue::Chain chain_;
};

// Every field a device or a transport looks at, by the accessors they use.
bool Judge(const VsockHdr& hdr) {
  return hdr.len <= vsock::kMaxPayload && hdr.source() == kGuest &&
         hdr.destination() == kHost && hdr.is(vsock::Type::kDgram) &&
         hdr.operation() == vsock::Op::kRw;
}

void BM_HdrCopyAndJudge(benchmark::State& state) {
  const ChainWithHdr source(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) {
    VsockHdr hdr;
    benchmark::DoNotOptimize(source.chain().CopyFrom(
        0, absl::MakeSpan(reinterpret_cast<std::byte*>(&hdr), kHdrBytes)));
    VSOCK_CHECK(Judge(hdr));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HdrCopyAndJudge)->ArgNames({"pieces"})->Arg(1)->Arg(2)->Arg(44);

void BM_HdrFill(benchmark::State& state) {
  for (auto _ : state) {
    VsockHdr hdr = DatagramHdr();
    benchmark::DoNotOptimize(hdr);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HdrFill);

}  // namespace
}  // namespace bench
