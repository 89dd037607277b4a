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

}  // namespace

PackedWalk WalkPacked(PackedCursor at, uint64_t first, uint32_t room,
                      uint32_t ring_size, bool indirect,
                      const GuestMemory& memory, Chain& chain) {
  ChainAppender appender(memory, kFaults, ring_size, chain);
  const auto end = [&appender](const char* fault) {
    return PackedWalk{.fault = appender.End(fault)};
  };
  PackedTail tail = PackedTail::Decode(first);
  for (uint32_t slots = 1;; ++slots) {
    const uint64_t addr = at.at()->LoadAddr();
    const char* fault = nullptr;
    if ((tail.flags & kDescIndirect) != 0) {
      if (slots > 1) return end("2.8.19: INDIRECT in a list of NEXT");
      fault =
          WalkTable({.addr = addr, .tail = tail}, indirect, memory, appender);
      tail.flags = 0;
    } else {
      fault = appender.Append(addr, tail.len, tail.flags);
    }
    if (fault != nullptr) return end(fault);
    if ((tail.flags & kDescNext) == 0) {
      return {.fault = appender.End(nullptr), .id = tail.id, .slots = slots};
    }
    if (slots == room) return end("2.8.17: list has no room in the ring");
    at.Step();
    tail = at.at()->LoadTail(std::memory_order_acquire);
    if (!at.Matches(tail.word())) {
      return end(
          "2.8.17: list goes on with a descriptor that is not available");
    }
  }
}

}  // namespace virtqueue
