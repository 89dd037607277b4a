#include "virtqueue/testing/raw_packed.h"

#include <atomic>
#include <cstring>

#include "virtqueue/check.h"
#include "virtqueue/endian.h"

namespace virtqueue {
namespace {

struct WireDesc {  // struct pvirtq_desc, 2.8.13
  Le64 addr;
  Le32 len;
  Le16 id;
  Le16 flags;
};
static_assert(sizeof(WireDesc) == 16, "wire layout");

}  // namespace

RawPacked::RawPacked(const GuestMemory& memory, const PackedRingAddrs& addrs,
                     uint16_t size)
    : memory_(memory), ring_(*PackedRing::Map(memory, addrs, size)) {}

void RawPacked::Write(uint16_t slot, const Desc& desc) {
  VSOCK_CHECK(slot < ring_.size);
  ring_.desc[slot].StoreAddr(desc.addr);
  ring_.desc[slot].StoreTail(
      {.len = desc.len, .id = desc.id, .flags = desc.flags},
      std::memory_order_seq_cst);
}

RawPacked::Desc RawPacked::Read(uint16_t slot) const {
  VSOCK_CHECK(slot < ring_.size);
  const PackedTail tail = ring_.desc[slot].LoadTail(std::memory_order_seq_cst);
  return {.addr = ring_.desc[slot].LoadAddr(),
          .len = tail.len,
          .id = tail.id,
          .flags = tail.flags};
}

void RawPacked::WriteTable(GuestAddr at, absl::Span<const Desc> entries) {
  for (const Desc& desc : entries) {
    const WireDesc wire = {
        .addr = desc.addr, .len = desc.len, .id = desc.id, .flags = desc.flags};
    std::memcpy(memory_.Slice(at, sizeof(wire))->data(), &wire, sizeof(wire));
    at = at + sizeof(wire);
  }
}

void RawPacked::WriteDriverEvents(uint16_t desc, uint16_t flags) {
  ring_.driver_events->Store({.desc = desc, .flags = flags},
                             std::memory_order_seq_cst);
}

void RawPacked::WriteDeviceEvents(uint16_t desc, uint16_t flags) {
  ring_.device_events->Store({.desc = desc, .flags = flags},
                             std::memory_order_seq_cst);
}

Events RawPacked::DriverEvents() const { return ring_.driver_events->Load(); }

Events RawPacked::DeviceEvents() const { return ring_.device_events->Load(); }

}  // namespace virtqueue
