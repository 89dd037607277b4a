#include "bench/queue_ring.h"

#include "virtqueue/check.h"

namespace bench {
namespace {

using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;

constexpr uint64_t kMemoryBytes = 1 << 20;
constexpr uint32_t kBufferBytes = 64;

}  // namespace

QueueRing::QueueRing(virtqueue::RingFormat format, uint16_t size)
    : memory_(*virtqueue::OwnedGuestMemory::Create(kMemoryBytes)),
      addrs_(virtqueue::LayRing(
          format,
          memory_.Allocate(virtqueue::RingBytes(format, size),
                           virtqueue::kCacheLine),
          size)),
      buffer_(memory_.Allocate(kBufferBytes, virtqueue::kCacheLine)),
      driver_(*DriverQueue::Create(memory_.memory(), addrs_, {.size = size})),
      device_(*DeviceQueue::Create(memory_.memory(), addrs_, {.size = size})) {
  driver_.DisableNotifications();
  device_.DisableNotifications();
}

void QueueRing::Add() {
  const DriverQueue::Buffer buffer[] = {{buffer_, kBufferBytes}};
  VSOCK_CHECK(driver_.Add(buffer, {}, /*token=*/0) ==
              DriverQueue::AddResult::kAdded);
}

uint32_t QueueRing::Collect(uint32_t most) {
  uint32_t collected = 0;
  while (collected < most && driver_.Collect().has_value()) ++collected;
  return collected;
}

void QueueRing::Serve(uint32_t most) {
  for (uint32_t i = 0; i < most; ++i) {
    if (device_.Pop(chain_) != DeviceQueue::PopResult::kChain) break;
    device_.Push(chain_, /*written=*/0);
  }
  device_.Publish();
}

}  // namespace bench
