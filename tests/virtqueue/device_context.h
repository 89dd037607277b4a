// device_context.h: a DeviceQueue at the mercy of a driver that obeys no rule.

#ifndef TESTS_VIRTQUEUE_DEVICE_CONTEXT_H_
#define TESTS_VIRTQUEUE_DEVICE_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/testing/raw_driver.h"

// Two regions of buffers, next to each other; beyond them there is nothing.
inline constexpr uint64_t kBuffers = 0x100000;
inline constexpr uint64_t kRegionBytes = 0x10000;
inline constexpr uint64_t kMiddle = kBuffers + kRegionBytes;
inline constexpr uint64_t kBuffersEnd = kMiddle + kRegionBytes;

struct DeviceContext {
  using PopResult = virtqueue::DeviceQueue::PopResult;
  using Descriptor = virtqueue::Descriptor;

  explicit DeviceContext(const virtqueue::DeviceQueue::Options& options)
      : heap({{0, virtqueue::SplitRingBytes(options.size)},
              {kBuffers, kRegionBytes},
              {kMiddle, kRegionBytes}}),
        addrs(virtqueue::LaySplitRing(virtqueue::GuestAddr(0), options.size)),
        driver(heap.memory(), addrs, options.size),
        device(*virtqueue::DeviceQueue::Create(heap.memory(), addrs, options)) {
  }

  // Writes `descs` into the table from entry `first` on, linked as they stand.
  void Put(uint16_t first, const std::vector<Descriptor>& descs) {
    for (const Descriptor& desc : descs) driver.SetDescriptor(first++, desc);
  }

  // `count` readable descriptors of one byte each, every one but the last
  // linked to the next, from number `first` on.
  static std::vector<Descriptor> Linked(uint32_t count, uint16_t first = 0) {
    std::vector<Descriptor> descs(count, {.addr = kBuffers, .len = 1});
    for (uint32_t i = 0; i + 1 < count; ++i) {
      descs[i].flags = virtqueue::kDescNext;
      descs[i].next = static_cast<uint16_t>(first + i + 1);
    }
    return descs;
  }

  PopResult OfferAndPop(uint16_t head) {
    driver.Offer(head);
    return device.Pop(chain);
  }

  std::string Fault() const { return std::string(device.status().message()); }

  HeapMemory heap;
  virtqueue::SplitRingAddrs addrs;
  virtqueue::RawDriver driver;
  virtqueue::DeviceQueue device;
  virtqueue::Chain chain;
};

#endif  // TESTS_VIRTQUEUE_DEVICE_CONTEXT_H_
