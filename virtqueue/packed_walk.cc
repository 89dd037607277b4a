#include "virtqueue/packed_walk.h"

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "virtqueue/chain_appender.h"
#include "virtqueue/indirect_table.h"

namespace virtqueue {
namespace {

// What no ring can say the length of is too much, as in 2.7.5.2.
constexpr ChainAppender::Faults kFaults = {
    .too_long = "2.8.17: list is longer than the queue size",
    .too_many_bytes = "2.8.4: list is of more than 2^32 bytes",
    .out_of_order = "2.8.17: readable descriptor after a writable one",
    .outside = "2.8.13: buffer is outside of memory"};

// Inlined, so that what the appender knows can be in registers.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline const char* WalkTable(
    const PackedDescriptor& refers, bool indirect, const GuestMemory& memory,
    ChainAppender& appender) {
  if (!indirect) return "2.8.19: INDIRECT was not negotiated";
  if ((refers.tail.flags & kDescNext) != 0) {
    return "2.8.19: INDIRECT in a list of NEXT";
  }
  if (refers.tail.len == 0 || refers.tail.len % kDescriptorBytes != 0) {
    return "2.8.7: indirect table is not of whole descriptors";
  }
  const absl::Span<const std::byte> bytes =
      memory.TrySlice(GuestAddr(refers.addr), refers.tail.len);
  if (bytes.data() == nullptr) {
    return "2.8.7: indirect table is not in one region of memory";
  }
  const IndirectTable<SharedPackedDescriptor> table(bytes);
  for (uint32_t i = 0; i < table.size(); ++i) {
    const PackedDescriptor desc = table.Load(i);
    const char* const fault =
        appender.Append(desc.addr, desc.tail.len, desc.tail.flags);
    if (fault != nullptr) return fault;
  }
  return nullptr;
}

// The same.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline PackedWalk WalkList(
    PackedCursor at, PackedDescriptor desc, uint32_t room, bool indirect,
    const GuestMemory& memory, ChainAppender& appender) {
  for (uint32_t slots = 1;; ++slots) {
    const uint16_t flags = desc.tail.flags;
    const bool refers = (flags & kDescIndirect) != 0;
    if (refers && slots > 1) {
      return {.fault = "2.8.19: INDIRECT in a list of NEXT"};
    }
    const char* const fault =
        refers ? WalkTable(desc, indirect, memory, appender)
               : appender.Append(desc.addr, desc.tail.len, flags);
    if (fault != nullptr) return {.fault = fault};
    if (refers || (flags & kDescNext) == 0) {
      return {.id = desc.tail.id, .slots = slots};
    }
    if (slots == room) return {.fault = "2.8.17: list has no room in the ring"};
    at.Step();
    const uint64_t tail = at.at()->LoadWord(std::memory_order_acquire);
    if (!at.Matches(tail)) {
      return {.fault =
                  "2.8.17: list goes on with a descriptor that is not "
                  "available"};
    }
    desc = SharedPackedDescriptor::Decode(at.at()->LoadAddr(), tail);
  }
}

}  // namespace

PackedWalk WalkPacked(const PackedCursor& at, const PackedDescriptor& first,
                      uint32_t room, uint32_t ring_size, bool indirect,
                      const GuestMemory& memory, Chain& chain) {
  ChainAppender appender(memory, kFaults, ring_size, chain);
  PackedWalk walk = WalkList(at, first, room, indirect, memory, appender);
  walk.fault = appender.End(walk.fault);
  return walk;
}

}  // namespace virtqueue
