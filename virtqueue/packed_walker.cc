#include "virtqueue/packed_walker.h"

#include "absl/types/span.h"
#include "virtqueue/indirect_table.h"

namespace virtqueue {
namespace {

// What no ring can say the length of is too much, as in 2.7.5.2.
constexpr ChainAppender::Faults kFaults = {
    .too_long = "2.8.17: list is longer than the queue size",
    .too_many_bytes = "2.8.4: list is of more than 2^32 bytes",
    .out_of_order = "2.8.17: readable descriptor after a writable one",
    .outside = "2.8.13: buffer is outside of memory"};

}  // namespace

PackedWalker::PackedWalker(const PackedRing& ring, const GuestMemory& memory,
                           bool indirect, Chain& chain)
    : ring_(ring),
      memory_(memory),
      indirect_(indirect),
      chain_(chain),
      appender_(memory, kFaults, ring.size, chain) {}

const char* PackedWalker::Walk(PackedPosition at, PackedTail first,
                               uint32_t room) {
  chain_.Clear();
  const char* const fault = WalkRing(at, first, room);
  if (fault != nullptr) chain_.Clear();
  return fault;
}

const char* PackedWalker::WalkRing(PackedPosition at, PackedTail tail,
                                   uint32_t room) {
  for (chain_.slots_ = 1;; ++chain_.slots_) {
    if (chain_.slots_ > room) return "2.8.17: list has no room in the ring";
    if (AvailAndUsed(tail.flags) != at.available()) {
      return "2.8.17: list goes on with a descriptor that is not available";
    }
    const uint64_t addr = ring_[at].LoadAddr();
    id_ = tail.id;  // the last one counts
    if ((tail.flags & kDescIndirect) != 0) {
      if (chain_.slots_ > 1) return "2.8.19: INDIRECT in a list of NEXT";
      return WalkTable({.addr = addr, .tail = tail});
    }
    const char* const fault = appender_.Append(addr, tail.len, tail.flags);
    if (fault != nullptr || (tail.flags & kDescNext) == 0) return fault;
    at.Advance(1, ring_.size);
    tail = ring_[at].LoadTail(std::memory_order_acquire);
  }
}

const char* PackedWalker::WalkTable(const PackedDescriptor& refers) {
  if (!indirect_) return "2.8.19: INDIRECT was not negotiated";
  if ((refers.tail.flags & kDescNext) != 0) {
    return "2.8.19: INDIRECT in a list of NEXT";
  }
  if (refers.tail.len == 0 || refers.tail.len % kDescriptorBytes != 0) {
    return "2.8.7: indirect table is not of whole descriptors";
  }
  const absl::Span<const std::byte> bytes =
      memory_.TrySlice(GuestAddr(refers.addr), refers.tail.len);
  if (bytes.data() == nullptr) {
    return "2.8.7: indirect table is not in one region of memory";
  }
  const IndirectTable<SharedPackedDescriptor> table(bytes);
  for (uint32_t i = 0; i < table.size(); ++i) {
    const PackedDescriptor desc = table.Load(i);
    const char* const fault =
        appender_.Append(desc.addr, desc.tail.len, desc.tail.flags);
    if (fault != nullptr) return fault;
  }
  return nullptr;
}

}  // namespace virtqueue
