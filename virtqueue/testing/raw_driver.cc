#include "virtqueue/testing/raw_driver.h"

#include <atomic>
#include <cstring>

#include "virtqueue/endian.h"

namespace virtqueue {
namespace {

struct WireDescriptor {  // struct virtq_desc, 2.7.5
  Le64 addr;
  Le32 len;
  Le16 flags;
  Le16 next;
};
static_assert(sizeof(WireDescriptor) == 16, "wire layout");

}  // namespace

RawDriver::RawDriver(const GuestMemory& memory, const SplitRingAddrs& addrs,
                     uint16_t size)
    : memory_(memory), ring_(*SplitRing::Map(memory, addrs, size)) {}

void RawDriver::SetDescriptor(uint16_t index, const Descriptor& desc) {
  ring_.desc.At(index).Store(desc);
}

void RawDriver::WriteTable(GuestAddr at, absl::Span<const Descriptor> entries) {
  for (const Descriptor& desc : entries) {
    const WireDescriptor wire = {.addr = desc.addr,
                                 .len = desc.len,
                                 .flags = desc.flags,
                                 .next = desc.next};
    std::memcpy(memory_.Slice(at, sizeof(wire))->data(), &wire, sizeof(wire));
    at = at + sizeof(wire);
  }
}

void RawDriver::Offer(uint16_t head) {
  const uint16_t idx = ring_.avail_idx->Load();
  ring_.avail_ring[idx].Store(head);
  SetAvailIdx(static_cast<uint16_t>(idx + 1));
}

void RawDriver::SetHead(uint16_t slot, uint16_t head) {
  ring_.avail_ring.At(slot).Store(head);
}

void RawDriver::SetAvailIdx(uint16_t idx) {
  ring_.avail_idx->Store(idx, std::memory_order_seq_cst);
}

void RawDriver::SetAvailFlags(uint16_t flags) {
  ring_.avail_flags->Store(flags);
}

void RawDriver::SetUsedEvent(uint16_t event) {
  ring_.used_event->Store(event, std::memory_order_seq_cst);
}

std::vector<RawDriver::UsedElem> RawDriver::Used() const {
  std::vector<UsedElem> used;
  for (uint32_t i = 0; i < UsedIdx() && i < ring_.used_ring.size(); ++i) {
    used.push_back({.id = ring_.used_ring[i].id.Load(),
                    .len = ring_.used_ring[i].len.Load()});
  }
  return used;
}

uint16_t RawDriver::UsedIdx() const {
  return ring_.used_idx->Load(std::memory_order_seq_cst);
}

uint16_t RawDriver::UsedFlags() const { return ring_.used_flags->Load(); }

uint16_t RawDriver::AvailEvent() const { return ring_.avail_event->Load(); }

}  // namespace virtqueue
