#include "virtqueue/chain_walker.h"

#include "absl/types/span.h"
#include "virtqueue/indirect_table.h"

namespace virtqueue {
namespace {

constexpr ChainAppender::Faults kFaults = {
    .too_long = "2.7.5.3.1: chain is longer than the queue size",
    .too_many_bytes = "2.7.5.2: chain is of more than 2^32 bytes",
    .out_of_order = "2.7.4.2: readable descriptor after a writable one",
    .outside = "2.7.5: buffer is outside of memory"};

}  // namespace

ChainWalker::ChainWalker(const RingArray<SharedDescriptor>& table,
                         const GuestMemory& memory,
                         const Negotiated& negotiated, Chain& chain)
    : table_(table),
      memory_(memory),
      negotiated_(negotiated),
      chain_(chain),
      appender_(memory, kFaults, table.size(), chain) {}

const char* ChainWalker::Walk(uint32_t head) {
  chain_.Clear();
  const char* const fault = WalkTable(head);
  if (fault != nullptr) chain_.Clear();
  return fault;
}

const char* ChainWalker::WalkTable(uint32_t head) {
  if (!table_.Has(head)) return "2.7.6: head is no descriptor of the table";
  uint32_t index = head;
  for (;;) {
    const Descriptor desc = table_[index].Load();
    if ((desc.flags & kDescIndirect) != 0) return WalkIndirect(desc);
    const char* const fault = appender_.Append(desc.addr, desc.len, desc.flags);
    if (fault != nullptr || (desc.flags & kDescNext) == 0) return fault;
    const uint32_t following = index + 1 == table_.size() ? 0 : index + 1;
    index = desc.next;
    if (!table_.Has(index)) return "2.7.5: next is no descriptor of the table";
    if (negotiated_.in_order && index != following) {
      return "2.7.5.2: next is not the following descriptor, IN_ORDER";
    }
  }
}

const char* ChainWalker::WalkIndirect(const Descriptor& refers) {
  if (!negotiated_.indirect) return "2.7.5.3.1: INDIRECT was not negotiated";
  if ((refers.flags & kDescNext) != 0) {
    return "2.7.5.3.1: INDIRECT together with NEXT";
  }
  if (refers.len == 0 || refers.len % kDescriptorBytes != 0) {
    return "2.7.5.3: indirect table is not of whole descriptors";
  }
  const absl::Span<const std::byte> bytes =
      memory_.TrySlice(GuestAddr(refers.addr), refers.len);
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
    const char* const fault = appender_.Append(desc.addr, desc.len, desc.flags);
    if (fault != nullptr || (desc.flags & kDescNext) == 0) return fault;
    const uint32_t following = index + 1;
    index = desc.next;
    if (index >= table.size()) {
      return "2.7.5.3: next is no descriptor of the indirect table";
    }
    if (negotiated_.in_order && index != following) {
      return "2.7.5.3.1: next is not the following descriptor, IN_ORDER";
    }
  }
}

}  // namespace virtqueue
