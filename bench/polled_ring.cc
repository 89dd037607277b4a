#include "bench/polled_ring.h"

#include "bench/pin.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::kCacheLine;

}  // namespace

PolledRing::PolledRing(uint32_t depth)
    : depth_(depth),
      memory_(*virtqueue::OwnedGuestMemory::Create(1 << 16)),
      addrs_(virtqueue::LaySplitRing(
          memory_.Allocate(virtqueue::SplitRingBytes(kSize), kCacheLine),
          kSize)),
      driver_(*DriverQueue::Create(memory_.memory(), addrs_, {.size = kSize})),
      device_(*DeviceQueue::Create(memory_.memory(), addrs_, {.size = kSize})) {
  driver_.DisableNotifications();
  device_.DisableNotifications();
  device_thread_ = std::thread([this] { RunDevice(); });
}

PolledRing::~PolledRing() {
  stop_.store(true);
  device_thread_.join();
}

void PolledRing::Exchange(uint32_t chains) {
  std::thread driver([this, chains] { RunDriver(chains); });
  driver.join();
}

void PolledRing::RunDriver(uint32_t chains) {
  PinToCpu(0);
  const DriverQueue::Buffer buffer[] = {{addrs_.desc, 64}};
  uint32_t added = 0;
  for (uint32_t collected = 0; collected < chains;) {
    for (; added < chains && added - collected < depth_; ++added) {
      VSOCK_CHECK(driver_.Add(buffer, {}, added) ==
                  DriverQueue::AddResult::kAdded);
    }
    driver_.Publish();
    collected += CollectAll();
  }
}

uint32_t PolledRing::CollectAll() {
  uint32_t collected = 0;
  while (driver_.Collect().has_value()) ++collected;
  return collected;
}

void PolledRing::RunDevice() {
  PinToCpu(1);
  virtqueue::Chain chain;
  while (!stop_.load(std::memory_order_relaxed)) {
    while (device_.Pop(chain) == DeviceQueue::PopResult::kChain) {
      device_.Push(chain, /*written=*/0);
    }
    device_.Publish();
  }
}

}  // namespace bench
