#include "tests/fuzz/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "virtqueue/check.h"

namespace fuzz {
namespace {

using virtqueue::GuestAddr;

// One mapping for all arenas, as making one takes longer than most scripts.
std::byte* VastBytes() {
  static void* const mapping =
      mmap(nullptr, kVastBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  VSOCK_CHECK(mapping != MAP_FAILED);
  return static_cast<std::byte*>(mapping);
}

constexpr size_t kBlock = 64;  // compared at once

bool Contains(absl::Span<const Extent> extents, uint64_t at) {
  return std::any_of(extents.begin(), extents.end(),
                     [at](const Extent& e) { return at - e.at < e.bytes; });
}

}  // namespace

Arena::Arena(const QueueSpec& queue)
    : vast_(queue.vast),
      addrs_(virtqueue::LayRing(queue.format, GuestAddr(kRing), queue.size)) {
  AddRegion({kRing, virtqueue::RingBytes(queue.format, queue.size)});
  AddRegion({kBuffers, kMiddle - kBuffers});
  AddRegion({kMiddle, kBuffersEnd - kMiddle});
  const uint64_t tables = uint64_t{queue.size} * queue.table_entries * 16;
  if (tables != 0) AddRegion({kTables, tables});
  if (queue.vast) AddVastRegion();
  std::vector<virtqueue::GuestMemory::Region> regions;
  for (const Region& region : regions_) {
    regions.push_back({GuestAddr(region.base), region.bytes});
  }
  memory_ = *virtqueue::GuestMemory::Create(regions);
}

Arena::~Arena() {
  if (vast_) madvise(VastBytes(), kVastBytes, MADV_DONTNEED);
}

void Arena::AddRegion(const Extent& extent) {
  blocks_.push_back(std::make_unique<std::byte[]>(extent.bytes));
  regions_.push_back({.base = extent.at,
                      .bytes = {blocks_.back().get(), extent.bytes},
                      .before = std::vector<std::byte>(extent.bytes)});
}

void Arena::AddVastRegion() {
  regions_.push_back({.base = kVast, .bytes = {VastBytes(), kVastBytes}});
}

const Arena::Region* Arena::RegionOf(uint64_t at) const {
  for (const Region& region : regions_) {
    if (at - region.base < region.bytes.size()) return &region;
  }
  return nullptr;
}

std::optional<Arena::Pieces> Arena::Find(const Extent& extent) const {
  Pieces pieces;
  uint64_t at = extent.at;
  uint64_t left = extent.bytes;
  while (left != 0) {
    const Region* const region = RegionOf(at);
    if (region == nullptr) return std::nullopt;
    pieces.push_back(region->bytes.subspan(at - region->base, left));
    at += pieces.back().size();
    left -= pieces.back().size();
    if (at == 0 && left != 0) return std::nullopt;
  }
  return pieces;
}

absl::Span<std::byte> Arena::Within(uint64_t at, uint32_t bytes) const {
  const Region* const region = RegionOf(at);
  if (region == nullptr) return {};
  const absl::Span<std::byte> found =
      region->bytes.subspan(at - region->base, bytes);
  return found.size() == bytes ? found : absl::Span<std::byte>();
}

uint64_t Arena::Read(uint64_t at, uint32_t bytes) const {
  uint64_t value = 0;
  uint32_t shift = 0;
  for (const std::byte byte : Within(at, bytes)) {
    value |= std::to_integer<uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

void Arena::Write(uint64_t at, uint32_t bytes, uint64_t value) {
  for (std::byte& byte : Within(at, bytes)) {
    byte = static_cast<std::byte>(value);
    value >>= 8;
  }
}

void Arena::WriteUnnoticed(const Word& word) {
  Write(word.at, word.bytes, word.value);
  for (Region& region : regions_) {
    for (uint64_t at = word.at; at != word.at + word.bytes; ++at) {
      const uint64_t i = at - region.base;
      if (i < region.before.size()) region.before[i] = region.bytes[i];
    }
  }
}

uint64_t Arena::AddressOf(const std::byte* place) const {
  for (const Region& region : regions_) {
    const auto offset = reinterpret_cast<uintptr_t>(place) -
                        reinterpret_cast<uintptr_t>(region.bytes.data());
    if (offset < region.bytes.size()) return region.base + offset;
  }
  return ~uint64_t{0};
}

std::optional<uint64_t> Arena::ChangedBut(absl::Span<const Extent> but) {
  std::optional<uint64_t> changed;
  for (Region& region : regions_) {
    if (region.before.empty() ||
        std::memcmp(region.before.data(), region.bytes.data(),
                    region.before.size()) == 0) {
      continue;
    }
    for (size_t i = 0; i < region.before.size(); i += kBlock) {
      std::byte* const before = &region.before[i];
      const std::byte* const now = &region.bytes[i];
      const size_t size = std::min(kBlock, region.before.size() - i);
      if (std::memcmp(before, now, size) == 0) continue;
      for (size_t j = 0; j < size && !changed; ++j) {
        const uint64_t at = region.base + i + j;
        if (before[j] != now[j] && !Contains(but, at)) changed = at;
      }
      std::memcpy(before, now, size);
    }
  }
  return changed;
}

}  // namespace fuzz
