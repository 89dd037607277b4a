#include "virtqueue/testing/raw_device.h"

#include <atomic>

namespace virtqueue {

RawDevice::RawDevice(const GuestMemory& memory, const SplitRingAddrs& addrs,
                     uint16_t size)
    : ring_(*SplitRing::Map(memory, addrs, size)) {}

void RawDevice::Use(uint32_t id, uint32_t len) {
  const uint16_t idx = ring_.used_idx->Load();
  ring_.used_ring[idx].id.Store(id);
  ring_.used_ring[idx].len.Store(len);
  SetUsedIdx(static_cast<uint16_t>(idx + 1));
}

void RawDevice::SetUsed(uint16_t slot, uint32_t id, uint32_t len) {
  ring_.used_ring.At(slot).id.Store(id);
  ring_.used_ring.At(slot).len.Store(len);
}

void RawDevice::SetUsedIdx(uint16_t idx) {
  ring_.used_idx->Store(idx, std::memory_order_seq_cst);
}

void RawDevice::SetUsedFlags(uint16_t flags) { ring_.used_flags->Store(flags); }

void RawDevice::SetAvailEvent(uint16_t event) {
  ring_.avail_event->Store(event, std::memory_order_seq_cst);
}

Descriptor RawDevice::ReadDescriptor(uint16_t index) const {
  return ring_.desc.At(index).Load();
}

uint16_t RawDevice::Head(uint16_t slot) const {
  return ring_.avail_ring.At(slot).Load();
}

uint16_t RawDevice::AvailIdx() const {
  return ring_.avail_idx->Load(std::memory_order_seq_cst);
}

uint16_t RawDevice::AvailFlags() const { return ring_.avail_flags->Load(); }

RawDevice::UsedElem RawDevice::Used(uint16_t slot) const {
  const SharedUsedElem& elem = ring_.used_ring.At(slot);
  return {.id = elem.id.Load(), .len = elem.len.Load()};
}

uint16_t RawDevice::UsedFlags() const { return ring_.used_flags->Load(); }

uint16_t RawDevice::UsedEvent() const { return ring_.used_event->Load(); }

}  // namespace virtqueue
