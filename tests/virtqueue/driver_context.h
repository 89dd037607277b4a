// driver_context.h: a DriverQueue at the mercy of a device that obeys no rule.

#ifndef TESTS_VIRTQUEUE_DRIVER_CONTEXT_H_
#define TESTS_VIRTQUEUE_DRIVER_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/testing/raw_device.h"

struct DriverContext {
  using AddResult = virtqueue::DriverQueue::AddResult;
  using Buffer = virtqueue::DriverQueue::Buffer;
  using Buffers = std::vector<Buffer>;

  static constexpr uint64_t kTables = 0x100000;

  // With `options.indirect_table_entries` there are tables, at kTables.
  explicit DriverContext(virtqueue::DriverQueue::Options options)
      : heap({{0, virtqueue::SplitRingBytes(options.size)},
              {kTables, 64 + options.IndirectBytes()}}),
        addrs(virtqueue::LaySplitRing(virtqueue::GuestAddr(0), options.size)),
        driver(Make(options)),
        device(heap.memory(), addrs, options.size) {}

  static Buffers Of(const std::vector<uint32_t>& lens) {
    Buffers buffers;
    for (const uint32_t len : lens) {
      buffers.push_back({virtqueue::GuestAddr(0x200000 + buffers.size()), len});
    }
    return buffers;
  }

  // Adds a chain of buffers of these lengths.
  AddResult Add(const std::vector<uint32_t>& readable,
                const std::vector<uint32_t>& writable, uint64_t token = 0) {
    return driver.Add(Of(readable), Of(writable), token);
  }

  // Adds and publishes a chain of one writable byte; the head it has.
  uint16_t Send(uint64_t token = 0) {
    Add({}, {1}, token);
    driver.Publish();
    return device.Head(
        static_cast<uint16_t>((device.AvailIdx() - 1) & (driver.size() - 1)));
  }

  std::string Fault() const { return std::string(driver.status().message()); }

  HeapMemory heap;
  virtqueue::SplitRingAddrs addrs;
  virtqueue::DriverQueue driver;
  virtqueue::RawDevice device;

 private:
  virtqueue::DriverQueue Make(virtqueue::DriverQueue::Options options) const {
    options.indirect_tables = virtqueue::GuestAddr(kTables);
    return *virtqueue::DriverQueue::Create(heap.memory(), addrs, options);
  }
};

#endif  // TESTS_VIRTQUEUE_DRIVER_CONTEXT_H_
