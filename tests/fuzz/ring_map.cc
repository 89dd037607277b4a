#include "tests/fuzz/ring_map.h"

#include <variant>

namespace fuzz {

using virtqueue::RingFormat;

RingMap::RingMap(const virtqueue::RingAddrs& addrs, const QueueSpec& queue)
    : split_(queue.format == RingFormat::kSplit),
      size_(queue.size),
      table_bytes_(uint64_t{16} * queue.size * queue.table_entries) {
  if (const auto* split = std::get_if<virtqueue::SplitRingAddrs>(&addrs)) {
    desc_ = split->desc.value();
    driver_ = split->avail.value();
    device_ = split->used.value();
  } else {
    const auto& packed = std::get<virtqueue::PackedRingAddrs>(addrs);
    desc_ = packed.desc.value();
    driver_ = packed.driver_events.value();
    device_ = packed.device_events.value();
  }
}

std::vector<Extent> RingMap::DriverAdds() const {
  std::vector<Extent> extents = {{desc_, 16 * size_}, {kTables, table_bytes_}};
  if (split_) extents.push_back({head(0), 2 * size_});
  return extents;
}

std::vector<Extent> RingMap::DevicePushes() const {
  if (split_) return {{used(0), 8 * size_}};
  std::vector<Extent> tails;
  for (uint64_t i = 0; i < size_; ++i) tails.push_back({desc(i) + 8, 8});
  return tails;
}

std::vector<Extent> RingMap::DriverPublishes() const {
  std::vector<Extent> extents = DriverAdds();
  if (split_) extents.push_back({avail_idx(), 2});
  return extents;
}

std::vector<Extent> RingMap::DevicePublishes() const {
  std::vector<Extent> extents = DevicePushes();
  if (split_) extents.push_back({used_idx(), 2});
  return extents;
}

std::vector<Extent> RingMap::DriverWishes() const {
  if (split_) return {{avail_flags(), 2}, {used_event(), 2}};
  return {{driver_events(), 4}};
}

std::vector<Extent> RingMap::DeviceWishes() const {
  if (split_) return {{used_flags(), 2}, {avail_event(), 2}};
  return {{device_events(), 4}};
}

// Where the two shorter fields are: 2.7.5, 2.8.13.
WireDesc ReadDesc(const Arena& arena, RingFormat format, uint64_t at) {
  const bool split = format == RingFormat::kSplit;
  return {.addr = arena.Read(at, 8),
          .len = static_cast<uint32_t>(arena.Read(at + 8, 4)),
          .flags = static_cast<uint16_t>(arena.Read(at + (split ? 12 : 14), 2)),
          .next_or_id =
              static_cast<uint16_t>(arena.Read(at + (split ? 14 : 12), 2))};
}

void WriteDesc(Arena& arena, RingFormat format, uint64_t at,
               const WireDesc& desc) {
  const bool split = format == RingFormat::kSplit;
  arena.Write(at, 8, desc.addr);
  arena.Write(at + 8, 4, desc.len);
  arena.Write(at + (split ? 12 : 14), 2, desc.flags);
  arena.Write(at + (split ? 14 : 12), 2, desc.next_or_id);
}

}  // namespace fuzz
