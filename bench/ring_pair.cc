#include "bench/ring_pair.h"

#include "virtqueue/check.h"

namespace bench {
namespace {

using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::kCacheLine;

constexpr uint64_t kMemoryBytes = uint64_t{64} << 20;
constexpr uint32_t kBufferBytes = 64;

}  // namespace

RingPair::RingPair(const Shape& shape)
    : shape_(shape),
      memory_(*virtqueue::OwnedGuestMemory::Create(kMemoryBytes)),
      addrs_(virtqueue::LayRing(
          shape.format,
          memory_.Allocate(virtqueue::RingBytes(shape.format, shape.ring_size),
                           kCacheLine),
          shape.ring_size)),
      driver_(MakeDriver()),
      device_(MakeDevice()),
      kept_(shape.ring_size) {
  for (uint16_t i = 0; i < shape.descriptors; ++i) {
    buffers_.push_back(
        {memory_.Allocate(kBufferBytes, kCacheLine), kBufferBytes});
  }
  driver_.DisableNotifications();
  device_.DisableNotifications();
}

DriverQueue RingPair::MakeDriver() {
  DriverQueue::Options options = {.size = shape_.ring_size,
                                  .event_idx = shape_.event_idx,
                                  .indirect = shape_.indirect};
  if (shape_.indirect) {
    options.indirect_table_entries = shape_.descriptors;
    options.indirect_tables =
        memory_.Allocate(options.IndirectBytes(), kCacheLine);
  }
  return *DriverQueue::Create(memory_.memory(), addrs_, options);
}

DeviceQueue RingPair::MakeDevice() const {
  return *DeviceQueue::Create(memory_.memory(), addrs_,
                              {.size = shape_.ring_size,
                               .event_idx = shape_.event_idx,
                               .indirect = shape_.indirect});
}

uint32_t RingPair::capacity() const {
  return shape_.indirect ? shape_.ring_size
                         : shape_.ring_size / shape_.descriptors;
}

void RingPair::Add(uint32_t chains) {
  if (buffers_.size() == 1) {
    const DriverQueue::Buffer only[] = {buffers_[0]};
    for (; chains != 0; --chains) {
      VSOCK_CHECK(driver_.Add(only, {}, chains) ==
                  DriverQueue::AddResult::kAdded);
    }
    return;
  }
  for (; chains != 0; --chains) {
    VSOCK_CHECK(driver_.Add(buffers_, {}, chains) ==
                DriverQueue::AddResult::kAdded);
  }
}

void RingPair::PopAndPush(uint32_t chains) {
  for (; chains != 0; --chains) {
    VSOCK_CHECK(device_.Pop(chain_) == DeviceQueue::PopResult::kChain);
    device_.Push(chain_, /*written=*/0);
  }
}

void RingPair::Pop(uint32_t chains) {
  if (first_kept_ == kept_end_) first_kept_ = kept_end_ = 0;
  for (; chains != 0; --chains) {
    VSOCK_CHECK(device_.Pop(kept_[kept_end_++]) ==
                DeviceQueue::PopResult::kChain);
  }
}

void RingPair::Push(uint32_t chains) {
  for (; chains != 0; --chains) device_.Push(kept_[first_kept_++], 0);
}

void RingPair::Collect(uint32_t chains) {
  for (; chains != 0; --chains) VSOCK_CHECK(driver_.Collect().has_value());
}

void RingPair::PublishAdded() {
  if (driver_.Publish()) ++kicks_;
}

void RingPair::PublishUsed() {
  if (device_.Publish()) ++interrupts_;
}

void RingPair::Round(uint32_t batch) {
  Add(batch);
  PublishAdded();
  PopAndPush(batch);
  PublishUsed();
  if (shape_.event_idx) DeviceEnable();
  Collect(batch);
  if (shape_.event_idx) DriverEnable();
}

}  // namespace bench
