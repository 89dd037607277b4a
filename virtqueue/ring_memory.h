// ring_memory.h: guest memory for a ring and for its driver's tables.

#ifndef VIRTQUEUE_RING_MEMORY_H_
#define VIRTQUEUE_RING_MEMORY_H_

#include <cstdint>

#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {

// A ring on cache lines of its own.
inline RingAddrs AllocateRing(OwnedGuestMemory& memory, RingFormat format,
                              uint16_t size) {
  return LayRing(format, memory.Allocate(RingBytes(format, size), kCacheLine),
                 size);
}

// Gives a driver that may use indirect tables the memory for them.
inline void AllocateIndirectTables(OwnedGuestMemory& memory,
                                   DriverQueue::Options& options) {
  if (!options.indirect) return;
  options.indirect_tables =
      memory.Allocate(options.IndirectBytes(), kDescriptorAlign);
}

}  // namespace virtqueue

#endif  // VIRTQUEUE_RING_MEMORY_H_
