// packed_context.h: either half of a packed ring at the mercy of a peer that
// obeys no rule.

#ifndef TESTS_VIRTQUEUE_PACKED_CONTEXT_H_
#define TESTS_VIRTQUEUE_PACKED_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/testing/raw_packed.h"

// AVAIL and USED of an available and of a used descriptor, in a lap in which
// the wrap counter is 1 or 0: virtio 1.3, 2.8.1, written out.
constexpr uint16_t AvailableIn(bool wrap_counter) {
  return wrap_counter ? 0x0080 : 0x8000;
}
constexpr uint16_t UsedIn(bool wrap_counter) {
  return wrap_counter ? 0x8080 : 0x0000;
}

// A device half, and a ring to write into; buffers as in device_context.h.
struct PackedDeviceContext {
  using PopResult = virtqueue::DeviceQueue::PopResult;
  using Desc = virtqueue::RawPacked::Desc;

  explicit PackedDeviceContext(const virtqueue::DeviceQueue::Options& options)
      : heap({{0, virtqueue::PackedRingBytes(options.size)},
              {kBuffers, kRegionBytes},
              {kMiddle, kRegionBytes}}),
        addrs(virtqueue::LayPackedRing(virtqueue::GuestAddr(0), options.size)),
        ring(heap.memory(), addrs, options.size),
        device(*virtqueue::DeviceQueue::Create(heap.memory(), addrs, options)) {
  }

  // Makes `descs` available in the next slots, linked; the last has `id`.
  void Offer(std::vector<Desc> descs, uint16_t id = 0) {
    for (size_t i = 0; i < descs.size(); ++i) {
      if (i + 1 != descs.size()) descs[i].flags |= virtqueue::kDescNext;
      if (i + 1 == descs.size()) descs[i].id = id;
      OfferAsItIs(descs[i]);
    }
  }

  // Makes one descriptor available in the next slot, other flags as they are.
  void OfferAsItIs(Desc desc) {
    desc.flags |= AvailableIn(wrap_counter);
    ring.Write(slot, desc);
    if (++slot < ring.size()) return;
    slot = 0;
    wrap_counter = !wrap_counter;
  }

  // A table of `entries`, and one descriptor that refers to it.
  void OfferTable(const std::vector<Desc>& entries, uint16_t id = 0) {
    ring.WriteTable(virtqueue::GuestAddr(kTable), entries);
    OfferAsItIs({.addr = kTable,
                 .len = static_cast<uint32_t>(16 * entries.size()),
                 .id = id,
                 .flags = virtqueue::kDescIndirect});
  }

  PopResult Pop() { return device.Pop(chain); }
  PopResult PopAndUse(uint32_t written = 0) {
    const PopResult result = Pop();
    device.Push(chain, written);
    device.Publish();
    return result;
  }

  std::string Fault() const { return std::string(device.status().message()); }

  static constexpr uint64_t kTable = kBuffers + 0x800;

  HeapMemory heap;
  virtqueue::PackedRingAddrs addrs;
  virtqueue::RawPacked ring;
  virtqueue::DeviceQueue device;
  virtqueue::Chain chain;
  uint16_t slot = 0;  // of the driver
  bool wrap_counter = true;
};

// A driver half, and a ring to write into.
struct PackedDriverContext {
  using AddResult = virtqueue::DriverQueue::AddResult;
  using Buffers = std::vector<virtqueue::DriverQueue::Buffer>;
  using Desc = virtqueue::RawPacked::Desc;

  static constexpr uint64_t kTables = 0x100000;

  // With `options.indirect_table_entries` there are tables, at kTables.
  explicit PackedDriverContext(virtqueue::DriverQueue::Options options)
      : heap({{0, virtqueue::PackedRingBytes(options.size)},
              {kTables, 64 + options.IndirectBytes()}}),
        addrs(virtqueue::LayPackedRing(virtqueue::GuestAddr(0), options.size)),
        driver(Make(options)),
        ring(heap.memory(), addrs, options.size) {}

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

  // Adds and publishes a chain of one writable byte.
  bool Send(uint64_t token = 0) {
    Add({}, {1}, token);
    return driver.Publish();
  }

  // The id in the last descriptor of the chain that ends in `slot`.
  uint16_t IdAt(uint16_t slot) const { return ring.Read(slot).id; }

  // Writes a used descriptor as the device does, in the lap it is in.
  void Use(uint16_t slot, uint16_t id, uint32_t len, bool wrap_counter = true) {
    const uint16_t write = len != 0 ? virtqueue::kDescWrite : uint16_t{0};
    ring.Write(slot,
               {.len = len,
                .id = id,
                .flags = static_cast<uint16_t>(UsedIn(wrap_counter) | write)});
  }

  std::string Fault() const { return std::string(driver.status().message()); }

  HeapMemory heap;
  virtqueue::PackedRingAddrs addrs;
  virtqueue::DriverQueue driver;
  virtqueue::RawPacked ring;

 private:
  virtqueue::DriverQueue Make(virtqueue::DriverQueue::Options options) const {
    options.indirect_tables = virtqueue::GuestAddr(kTables);
    return *virtqueue::DriverQueue::Create(heap.memory(), addrs, options);
  }
};

#endif  // TESTS_VIRTQUEUE_PACKED_CONTEXT_H_
