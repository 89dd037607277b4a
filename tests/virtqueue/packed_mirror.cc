#include "tests/virtqueue/packed_mirror.h"

namespace {

constexpr uint16_t kNext = 1;
constexpr uint16_t kWrite = 2;
constexpr uint16_t kIndirect = 4;
constexpr uint16_t kAvail = 1 << 7;
constexpr uint16_t kUsed = 1 << 15;

}  // namespace

PackedMirror::PackedMirror(const virtqueue::GuestMemory& memory,
                           const virtqueue::PackedRingAddrs& addrs,
                           uint16_t size)
    : ring_(memory, addrs, size), slots_(size) {}

void PackedMirror::Step(Place& place, uint32_t slots) const {
  for (; slots != 0; --slots) {
    if (++place.slot < slots_.size()) continue;
    place.slot = 0;
    place.wrap_counter = !place.wrap_counter;
  }
}

void PackedMirror::Describe(uint32_t len, uint16_t flags) {
  slots_[driver_.slot] = {.len = len,
                          .flags = static_cast<uint16_t>(
                              flags | (driver_.wrap_counter ? kAvail : kUsed))};
  Step(driver_, 1);
}

// The driver may take any id that is free.
uint16_t PackedMirror::TakeId(uint64_t token) {
  const uint32_t last = (driver_.slot != 0 ? driver_.slot : ring_.size()) - 1u;
  const uint16_t id = ring_.Read(static_cast<uint16_t>(last)).id;
  for (const auto& [other, taken] : ids_) twice_ |= taken == id;
  ids_[token] = id;
  slots_[last].id = id;
  return id;
}

void PackedMirror::MakeAvailable(uint64_t token,
                                 const std::vector<uint32_t>& readable,
                                 const std::vector<uint32_t>& writable,
                                 uint32_t slots) {
  const size_t buffers = readable.size() + writable.size();
  size_t left = buffers;
  if (slots != buffers) {  // 2.8.7
    Describe(static_cast<uint32_t>(16 * buffers), kIndirect);
  } else {
    for (const uint32_t len : readable) Describe(len, --left ? kNext : 0);
    for (const uint32_t len : writable) {
      Describe(len, static_cast<uint16_t>(kWrite | (--left ? kNext : 0)));
    }
  }
  TakeId(token);
}

void PackedMirror::Use(uint64_t token, uint32_t written, uint32_t slots) {
  const uint16_t wrap = device_.wrap_counter ? kAvail | kUsed : 0;
  const uint16_t write = written != 0 ? kWrite : 0;
  slots_[device_.slot] = {.len = written,
                          .flags = static_cast<uint16_t>(wrap | write),
                          .id = ids_.at(token)};
  ids_.erase(token);
  Step(device_, slots);
}

uint32_t PackedMirror::Differs() const {
  uint32_t differs = twice_ ? 1 : 0;
  for (uint16_t i = 0; i < ring_.size(); ++i) {
    const virtqueue::RawPacked::Desc desc = ring_.Read(i);
    const Slot& slot = slots_[i];
    const bool same = desc.len == slot.len && desc.flags == slot.flags &&
                      (slot.id == kWhatever || desc.id == slot.id);
    if (!same) ++differs;
  }
  return differs;
}
