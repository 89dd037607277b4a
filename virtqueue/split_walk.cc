#include "virtqueue/split_walk.h"

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "virtqueue/chain_appender.h"
#include "virtqueue/indirect_table.h"

namespace virtqueue {
namespace {

constexpr ChainAppender::Faults kFaults = {
    .too_long = "2.7.5.3.1: chain is longer than the queue size",
    .too_many_bytes = "2.7.5.2: chain is of more than 2^32 bytes",
    .out_of_order = "2.7.4.2: readable descriptor after a writable one",
    .outside = "2.7.5: buffer is outside of memory"};

// Inlined, so that what the appender knows can be in registers.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline const char* WalkTable(
    const Descriptor& refers, const SplitWalkTerms& terms,
    const GuestMemory& memory, ChainAppender& appender) {
  if (!terms.indirect) return "2.7.5.3.1: INDIRECT was not negotiated";
  if ((refers.flags & kDescNext) != 0) {
    return "2.7.5.3.1: INDIRECT together with NEXT";
  }
  if (refers.len == 0 || refers.len % kDescriptorBytes != 0) {
    return "2.7.5.3: indirect table is not of whole descriptors";
  }
  const absl::Span<const std::byte> bytes =
      memory.TrySlice(GuestAddr(refers.addr), refers.len);
  if (bytes.data() == nullptr) {
    return "2.7.5.3: indirect table is not in one region of memory";
  }
  const IndirectTable<SharedDescriptor> table(bytes);
  uint32_t index = 0;
  for (;;) {
    const Descriptor desc = table.Load(index);
    if ((desc.flags & kDescIndirect) != 0) {
      return "2.7.5.3.1: INDIRECT within an indirect table";
    }
    const char* const fault = appender.Append(desc.addr, desc.len, desc.flags);
    if (fault != nullptr || (desc.flags & kDescNext) == 0) return fault;
    const uint32_t following = index + 1;
    index = desc.next;
    if (index >= table.size()) {
      return "2.7.5.3: next is no descriptor of the indirect table";
    }
    if (terms.in_order && index != following) {
      return "2.7.5.3.1: next is not the following descriptor, IN_ORDER";
    }
  }
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline const char* WalkRing(
    const RingArray<SharedDescriptor>& table, uint32_t index, Descriptor desc,
    const SplitWalkTerms& terms, const GuestMemory& memory,
    ChainAppender& appender) {
  for (;;) {
    if ((desc.flags & kDescIndirect) != 0) {
      return WalkTable(desc, terms, memory, appender);
    }
    const char* const fault = appender.Append(desc.addr, desc.len, desc.flags);
    if (fault != nullptr || (desc.flags & kDescNext) == 0) return fault;
    const uint32_t following = index + 1 == table.size() ? 0 : index + 1;
    index = desc.next;
    if (!table.Has(index)) return "2.7.5: next is no descriptor of the table";
    if (terms.in_order && index != following) {
      return "2.7.5.2: next is not the following descriptor, IN_ORDER";
    }
    desc = table[index].Load();
  }
}

}  // namespace

const char* WalkSplit(const RingArray<SharedDescriptor>& table, uint32_t head,
                      const Descriptor& first, const SplitWalkTerms& terms,
                      const GuestMemory& memory, Chain& chain) {
  ChainAppender appender(memory, kFaults, table.size(), chain);
  return appender.End(WalkRing(table, head, first, terms, memory, appender));
}

}  // namespace virtqueue
