#include "tests/virtqueue/split_mirror.h"

#include <cstddef>

namespace {

constexpr uint16_t kNext = 1;
constexpr uint16_t kWrite = 2;
constexpr uint16_t kIndirect = 4;

}  // namespace

SplitMirror::SplitMirror(const virtqueue::GuestMemory& memory,
                         const virtqueue::SplitRingAddrs& addrs, uint16_t size)
    : size_(size),
      seen_by_device_(memory, addrs, size),
      seen_by_driver_(memory, addrs, size),
      table_(size),
      heads_(size),
      used_(size) {}

void SplitMirror::Describe(uint32_t len, uint16_t flags) {
  const uint32_t slot = next_slot_;
  next_slot_ = (slot + 1) % size_;
  table_[slot] = {
      .len = len, .flags = flags, .next = static_cast<uint16_t>(next_slot_)};
}

void SplitMirror::MakeAvailable(const std::vector<uint32_t>& readable,
                                const std::vector<uint32_t>& writable,
                                uint32_t slots) {
  const auto head = static_cast<uint16_t>(next_slot_);
  heads_[available_++ % size_] = head;
  in_ring_.push_back(head);
  const size_t buffers = readable.size() + writable.size();
  size_t left = buffers;
  if (slots != buffers) {  // 2.7.5.3
    return Describe(static_cast<uint32_t>(16 * buffers), kIndirect);
  }
  for (const uint32_t len : readable) Describe(len, --left ? kNext : 0);
  for (const uint32_t len : writable) {
    Describe(len, static_cast<uint16_t>(kWrite | (--left ? kNext : 0)));
  }
}

void SplitMirror::Use(uint32_t chains, uint32_t written) {
  used_[used_count_ % size_] = {.id = in_ring_[chains - 1], .len = written};
  in_ring_.erase(in_ring_.begin(), in_ring_.begin() + chains);
  used_count_ += chains;
}

uint32_t SplitMirror::Differs() const {
  uint32_t differs = 0;
  differs += seen_by_device_.AvailIdx() != available_ % 65536;
  differs += seen_by_driver_.UsedIdx() != used_count_ % 65536;
  for (uint16_t i = 0; i < size_; ++i) {
    const virtqueue::Descriptor desc = seen_by_device_.ReadDescriptor(i);
    const Slot& slot = table_[i];
    const bool linked = (slot.flags & kNext) != 0;
    differs += desc.len != slot.len || desc.flags != slot.flags ||
               (linked && desc.next != slot.next);
    differs += seen_by_device_.Head(i) != heads_[i];
    const virtqueue::RawDevice::UsedElem elem = seen_by_device_.Used(i);
    differs += elem.id != used_[i].id || elem.len != used_[i].len;
  }
  return differs;
}
