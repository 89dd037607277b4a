#include "tests/explorer/place.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "virtqueue/check.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

struct PartTraits {
  absl::string_view text;
  bool has_index;
};

constexpr std::array<PartTraits, 20> kParts = {{
    {"desc addr", true},   {"desc rest", true},      {"avail flags", false},
    {"avail idx", false},  {"avail ring", true},     {"used_event", false},
    {"used flags", false}, {"used idx", false},      {"used id", true},
    {"used len", true},    {"avail_event", false},   {"desc addr", true},
    {"desc", true},        {"driver events", false}, {"device events", false},
    {"table addr", true},  {"table rest", true},     {"table", true},
    {"request", true},     {"reply", true},
}};

const PartTraits& TraitsOf(Part part) {
  return kParts.at(static_cast<size_t>(part));
}

std::string RestText(uint64_t value) {
  return absl::StrFormat("len %d flags %d next %d", value & 0xffffffff,
                         (value >> 32) & 0xffff, value >> 48);
}

std::string TailText(uint64_t value) {
  const auto flags = static_cast<uint16_t>(value >> 48);
  return absl::StrFormat("len %d id %d avail %d used %d", value & 0xffffffff,
                         (value >> 32) & 0xffff,
                         static_cast<int>((flags & kDescAvail) != 0),
                         static_cast<int>((flags & kDescUsed) != 0));
}

std::string EventsText(uint64_t value) {
  const auto flags = static_cast<uint16_t>(value >> 16);
  if (flags == kEventsEnable) return "enable";
  if (flags == kEventsDisable) return "disable";
  return absl::StrFormat("slot %d wrap %d", value & (kEventsWrap - 1),
                         static_cast<int>((value & kEventsWrap) != 0));
}

}  // namespace

std::string PartName(Part part) {
  return absl::StrReplaceAll(TraitsOf(part).text, {{" ", "_"}});
}

std::string ValueText(Part part, uint64_t value) {
  switch (part) {
    case Part::kPackedTail:
    case Part::kTableTail:
      return TailText(value);
    case Part::kDriverEvents:
    case Part::kDeviceEvents:
      return EventsText(value);
    case Part::kDescRest:
    case Part::kTableRest:
      return RestText(value);
    case Part::kDescAddr:
    case Part::kPackedAddr:
    case Part::kTableAddr:
      return absl::StrFormat("%#x", value);
    case Part::kAvailFlags:
    case Part::kAvailIdx:
    case Part::kAvailRing:
    case Part::kUsedEvent:
    case Part::kUsedFlags:
    case Part::kUsedIdx:
    case Part::kUsedId:
    case Part::kUsedLen:
    case Part::kAvailEvent:
    case Part::kRequest:
    case Part::kReply:
      return absl::StrFormat("%d", value);
  }
  VSOCK_CHECK(false);
}

PlaceMap::PlaceMap(const GuestMemory& memory, const RingAddrs& addrs,
                   uint16_t size, const Buffers& buffers)
    : memory_(memory) {
  const uint32_t entries = uint32_t{size} * buffers.table_entries;
  if (const auto* packed = std::get_if<PackedRingAddrs>(&addrs)) {
    MapPacked(*packed, size);
    MapTables(buffers.tables, entries, Part::kTableTail);
  } else {
    MapSplit(*std::get_if<SplitRingAddrs>(&addrs), size);
    MapTables(buffers.tables, entries, Part::kTableRest);
  }
  for (uint16_t i = 0; i < size; ++i) {
    Add(Part::kRequest, buffers.requests + 8u * i, 8, i);
    Add(Part::kReply, buffers.replies + 8u * i, 8, i);
  }
}

std::string PlaceMap::Text(size_t place) const {
  const Place& it = places_[place];
  const PartTraits& traits = TraitsOf(it.part);
  if (!traits.has_index) return std::string(traits.text);
  return absl::StrFormat("%s[%d]", traits.text, it.index);
}

std::optional<size_t> PlaceMap::FindText(absl::string_view text) const {
  for (size_t place = 0; place < size(); ++place) {
    if (Text(place) == text) return place;
  }
  return std::nullopt;
}

size_t PlaceMap::Find(const void* word) const {
  const auto found =
      std::find_if(places_.begin(), places_.end(),
                   [word](const Place& place) { return place.word == word; });
  VSOCK_CHECK(found != places_.end());
  return static_cast<size_t>(found - places_.begin());
}

uint64_t PlaceMap::ValueInMemory(size_t place) const {
  uint64_t value = 0;  // little-endian, as the ring is
  for (uint16_t i = 0; i < places_[place].bytes; ++i) {
    value |= std::to_integer<uint64_t>(places_[place].word[i]) << (8 * i);
  }
  return value;
}

void PlaceMap::MapSplit(const SplitRingAddrs& addrs, uint16_t size) {
  const uint64_t n = size;
  Add(Part::kAvailFlags, addrs.avail, 2);
  Add(Part::kAvailIdx, addrs.avail + 2, 2);
  Add(Part::kUsedEvent, addrs.avail + 4 + 2 * n, 2);
  Add(Part::kUsedFlags, addrs.used, 2);
  Add(Part::kUsedIdx, addrs.used + 2, 2);
  Add(Part::kAvailEvent, addrs.used + 4 + 8 * n, 2);
  for (uint16_t i = 0; i < size; ++i) {
    Add(Part::kDescAddr, addrs.desc + 16u * i, 8, i);
    Add(Part::kDescRest, addrs.desc + 16u * i + 8, 8, i);
    Add(Part::kAvailRing, addrs.avail + 4 + 2u * i, 2, i);
    Add(Part::kUsedId, addrs.used + 4 + 8u * i, 4, i);
    Add(Part::kUsedLen, addrs.used + 4 + 8u * i + 4, 4, i);
  }
}

void PlaceMap::MapPacked(const PackedRingAddrs& addrs, uint16_t size) {
  Add(Part::kDriverEvents, addrs.driver_events, 4);
  Add(Part::kDeviceEvents, addrs.device_events, 4);
  for (uint16_t i = 0; i < size; ++i) {
    Add(Part::kPackedAddr, addrs.desc + 16u * i, 8, i);
    Add(Part::kPackedTail, addrs.desc + 16u * i + 8, 8, i);
  }
}

void PlaceMap::MapTables(GuestAddr tables, uint32_t entries, Part second) {
  for (uint16_t i = 0; i < entries; ++i) {
    Add(Part::kTableAddr, tables + 16u * i, 8, i);
    Add(second, tables + 16u * i + 8, 8, i);
  }
}

void PlaceMap::Add(Part part, GuestAddr at, uint16_t bytes, uint16_t index) {
  places_.push_back({.word = memory_.Slice(at, bytes)->data(),
                     .part = part,
                     .index = index,
                     .bytes = bytes});
}

}  // namespace virtqueue
