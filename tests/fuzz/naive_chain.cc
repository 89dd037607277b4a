#include "tests/fuzz/naive_chain.h"

namespace fuzz {
namespace {

constexpr uint16_t kNext = 1;
constexpr uint16_t kWrite = 2;
constexpr uint16_t kIndirect = 4;
constexpr uint16_t kAvailAndUsed = 0x8080;

uint64_t Sum(const std::vector<Extent>& extents) {
  uint64_t bytes = 0;
  for (const Extent& extent : extents) bytes += extent.bytes;
  return bytes;
}

}  // namespace

uint64_t NaiveChain::readable_bytes() const { return Sum(readable); }

uint64_t NaiveChain::writable_bytes() const { return Sum(writable); }

void PackedPlace::Step(uint32_t slots, uint32_t size) {
  for (uint32_t i = 0; i < slots; ++i) {
    if (++slot == size) {
      slot = 0;
      wrap_counter = !wrap_counter;
    }
  }
}

ChainReader::ChainReader(const Arena& arena, const QueueSpec& queue,
                         Buffers buffers)
    : arena_(arena),
      queue_(queue),
      buffers_(buffers),
      map_(arena.addrs(), queue) {}

bool ChainReader::Has(const PackedPlace& at, uint16_t avail_and_used) const {
  return (ReadDesc(arena_, queue_.format, map_.desc(at.slot)).flags &
          kAvailAndUsed) == avail_and_used;
}

// 2.7.5.3, 2.7.5.3.1, 2.8.7, 2.8.19.
bool ChainReader::IsTable(const WireDesc& refers) const {
  if (!queue_.indirect || (refers.flags & kNext) != 0) return false;
  if (refers.len == 0 || refers.len % 16 != 0) return false;
  const auto pieces = arena_.Find({refers.addr, refers.len});
  return pieces && pieces->size() == 1;
}

bool ChainReader::ListSplit(uint32_t head, Descs& descs) const {
  uint64_t table = map_.desc(0);
  uint32_t entries = queue_.size;
  bool nested = false;
  for (uint32_t index = head; index < entries;) {
    const WireDesc desc =
        ReadDesc(arena_, queue_.format, table + 16 * uint64_t{index});
    if ((desc.flags & kIndirect) != 0) {
      if (nested || !IsTable(desc)) return false;
      nested = true;
      table = desc.addr;
      entries = desc.len / 16;
      index = 0;
      continue;
    }
    descs.push_back(desc);
    if (descs.size() > queue_.size) return false;
    if ((desc.flags & kNext) == 0) return true;
    index = desc.next_or_id;
  }
  return false;
}

// One descriptor of the ring after the other; a table only as the first one.
bool ChainReader::ListPacked(PackedPlace at, uint32_t room, NaiveChain& chain,
                             Descs& descs) const {
  for (chain.slots = 1; chain.slots <= room; ++chain.slots) {
    if (!Has(at, at.available())) return false;
    const WireDesc desc = ReadDesc(arena_, queue_.format, map_.desc(at.slot));
    chain.id = desc.next_or_id;
    if ((desc.flags & kIndirect) != 0) {
      if (chain.slots != 1 || !IsTable(desc)) return false;
      if (desc.len / 16 > queue_.size) return false;
      for (uint64_t i = 0; i < desc.len; i += 16) {
        descs.push_back(ReadDesc(arena_, queue_.format, desc.addr + i));
      }
      return true;
    }
    descs.push_back(desc);
    if ((desc.flags & kNext) == 0) return true;
    at.Step(1, queue_.size);
  }
  return false;
}

void ChainReader::Judge(const Descs& descs, NaiveChain& chain) const {
  chain.descriptors = static_cast<uint32_t>(descs.size());
  for (const WireDesc& desc : descs) {
    const bool writable = (desc.flags & kWrite) != 0;
    const Extent buffer = {desc.addr, desc.len};
    if (!writable && !chain.writable.empty()) return;
    if (buffers_ == Buffers::kInMemory && !arena_.Find(buffer)) return;
    (writable ? chain.writable : chain.readable).push_back(buffer);
  }
  const uint64_t bytes = chain.readable_bytes() + chain.writable_bytes();
  chain.lawful = bytes <= uint64_t{1} << 32;
}

NaiveChain ChainReader::Split(uint32_t head) const {
  NaiveChain chain;
  chain.id = head;
  Descs descs;
  if (ListSplit(head, descs)) Judge(descs, chain);
  return chain;
}

NaiveChain ChainReader::Packed(PackedPlace at, uint32_t room) const {
  NaiveChain chain;
  Descs descs;
  if (ListPacked(at, room, chain, descs)) Judge(descs, chain);
  return chain;
}

}  // namespace fuzz
