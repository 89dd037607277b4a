// A message through the ring into the device's buffer: header and payload in
// one descriptor, in two, in many; in the ring itself or in an indirect table.
//
// copied:1 is what a program must do whose payload does not lie behind its
// header already and who wants one descriptor: it copies the payload there.

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
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/split_ring.h"

namespace bench {
namespace {

using virtqueue::Chain;
using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::GuestAddr;
using virtqueue::kCacheLine;
using virtqueue::OwnedGuestMemory;
using virtqueue::SplitRingAddrs;
using virtqueue::SplitRingBytes;

constexpr uint16_t kRingSize = 64;
constexpr uint32_t kHeaderBytes = 44;
constexpr uint64_t kMemoryBytes = 4 << 20;
constexpr uint32_t kPoolBytes = 1 << 20;  // of payload, used in turn

struct Shape {
  uint16_t descriptors = 1;
  bool indirect = false;
  bool copied = false;
  uint32_t payload_bytes = 0;
};

class MessageLine {
 public:
  explicit MessageLine(const Shape& shape)
      : shape_(shape),
        memory_(*OwnedGuestMemory::Create(kMemoryBytes)),
        addrs_(LaySplitRing(
            memory_.Allocate(SplitRingBytes(kRingSize), kCacheLine),
            kRingSize)),
        driver_(MakeDriver()),
        device_(*DeviceQueue::Create(
            memory_.memory(), addrs_,
            {.size = kRingSize, .indirect = shape.indirect})),
        frame_(memory_.Allocate(kHeaderBytes + shape.payload_bytes, 64)),
        pool_(memory_.Allocate(kPoolBytes + kHeaderBytes, 64)),
        received_(kHeaderBytes + shape.payload_bytes) {
    driver_.DisableNotifications();
    device_.DisableNotifications();
  }

  void Carry() {
    LayOut();
    VSOCK_CHECK(driver_.Add(buffers_, {}, /*token=*/0) ==
                DriverQueue::AddResult::kAdded);
    driver_.Publish();
    VSOCK_CHECK(device_.Pop(chain_) == DeviceQueue::PopResult::kChain);
    chain_.CopyFrom(0, absl::MakeSpan(received_));
    benchmark::ClobberMemory();
    device_.Push(chain_, /*written=*/0);
    device_.Publish();
    VSOCK_CHECK(driver_.Collect().has_value());
    next_ = (next_ + shape_.payload_bytes) % kPoolBytes;
  }

 private:
  DriverQueue MakeDriver() {
    DriverQueue::Options options = {.size = kRingSize,
                                    .indirect = shape_.indirect};
    if (shape_.indirect) {
      options.indirect_table_entries = shape_.descriptors;
      options.indirect_tables =
          memory_.Allocate(options.IndirectBytes(), kCacheLine);
    }
    return *DriverQueue::Create(memory_.memory(), addrs_, options);
  }

  void LayOut() {
    buffers_.clear();
    const uint32_t bytes = shape_.payload_bytes;
    if (shape_.descriptors == 1) {
      if (shape_.copied) CopyBehindHeader();
      const GuestAddr at = shape_.copied ? frame_ : pool_ + next_;
      buffers_.push_back({at, kHeaderBytes + bytes});
      return;
    }
    buffers_.push_back({frame_, kHeaderBytes});
    const uint32_t pieces = shape_.descriptors - 1u;
    for (uint32_t i = 0; i < pieces; ++i) {
      const uint32_t from = bytes * i / pieces;
      const uint32_t to = bytes * (i + 1) / pieces;
      buffers_.push_back({pool_ + next_ + from, to - from});
    }
  }

  void CopyBehindHeader() {
    const uint32_t bytes = shape_.payload_bytes;
    std::memcpy(memory_.memory().Slice(frame_ + kHeaderBytes, bytes)->data(),
                memory_.memory().Slice(pool_ + next_, bytes)->data(), bytes);
  }

  const Shape shape_;
  OwnedGuestMemory memory_;
  const SplitRingAddrs addrs_;
  DriverQueue driver_;
  DeviceQueue device_;
  const GuestAddr frame_;  // header, and the payload copied behind it
  const GuestAddr pool_;
  std::vector<std::byte> received_;
  std::vector<DriverQueue::Buffer> buffers_;
  Chain chain_;
  uint64_t next_ = 0;
};

void BM_ChainCopy(benchmark::State& state) {
  MessageLine line({.descriptors = static_cast<uint16_t>(state.range(0)),
                    .indirect = state.range(1) != 0,
                    .copied = state.range(2) != 0,
                    .payload_bytes = static_cast<uint32_t>(state.range(3))});
  for (auto _ : state) line.Carry();
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(3));
}
BENCHMARK(BM_ChainCopy)
    ->ArgNames({"descriptors", "indirect", "copied", "payload"})
    ->ArgsProduct({{1}, {0}, {0, 1}, {64, 4096, 65536}})
    ->ArgsProduct({{2, 4, 17}, {0, 1}, {0}, {64, 4096, 65536}});

}  // namespace
}  // namespace bench
