#include "virtqueue/chain_walker.h"

namespace virtqueue {

ChainWalker::ChainWalker(const RingArray<SharedDescriptor>& table,
                         const GuestMemory& memory, bool indirect, Chain& chain)
    : table_(table), memory_(memory), indirect_(indirect), chain_(chain) {}

absl::string_view ChainWalker::Walk(uint32_t head) {
  chain_.Clear();
  const absl::string_view fault = WalkTable(head);
  if (!fault.empty()) chain_.Clear();
  return fault;
}

absl::string_view ChainWalker::WalkTable(uint32_t head) {
  if (!table_.Has(head)) return "2.7.6: head is no descriptor of the table";
  uint32_t index = head;
  for (;;) {
    const Descriptor desc = table_[index].Load();
    if ((desc.flags & kDescIndirect) != 0) return WalkIndirect(desc);
    const absl::string_view fault = Append(desc);
    if (!fault.empty() || (desc.flags & kDescNext) == 0) return fault;
    index = desc.next;
    if (!table_.Has(index)) return "2.7.5: next is no descriptor of the table";
  }
}

absl::string_view ChainWalker::WalkIndirect(const Descriptor& refers) {
  if (!indirect_) return "2.7.5.3.1: INDIRECT was not negotiated";
  if ((refers.flags & kDescNext) != 0) {
    return "2.7.5.3.1: INDIRECT together with NEXT";
  }
  if (refers.len == 0 || refers.len % kDescriptorBytes != 0) {
    return "2.7.5.3: indirect table is not of whole descriptors";
  }
  const absl::Span<const std::byte> table =
      memory_.TrySlice(GuestAddr(refers.addr), refers.len);
  if (table.data() == nullptr) {
    return "2.7.5.3: indirect table is not in one region of memory";
  }
  uint32_t index = 0;
  for (;;) {
    const Descriptor desc = LoadIndirect(table, index);
    if ((desc.flags & kDescIndirect) != 0) {
      return "2.7.5.3.1: INDIRECT within an indirect table";
    }
    const absl::string_view fault = Append(desc);
    if (!fault.empty() || (desc.flags & kDescNext) == 0) return fault;
    index = desc.next;
    if (index >= refers.len / kDescriptorBytes) {
      return "2.7.5.3: next is no descriptor of the indirect table";
    }
  }
}

absl::string_view ChainWalker::Append(const Descriptor& desc) {
  if (++chain_.descriptors_ > table_.size()) {
    return "2.7.5.3.1: chain is longer than the queue size";
  }
  bytes_ += desc.len;
  if (bytes_ > kMaxChainBytes) {
    return "2.7.5.2: chain is of more than 2^32 bytes";
  }
  const bool writable = (desc.flags & kDescWrite) != 0;
  if (writable_ && !writable) {
    return "2.7.4.2: readable descriptor after a writable one";
  }
  writable_ = writable;
  return AppendPieces(desc, writable);
}

absl::string_view ChainWalker::AppendPieces(const Descriptor& desc,
                                            bool writable) {
  GuestAddr at(desc.addr);
  uint32_t left = desc.len;
  while (left != 0) {
    const absl::Span<std::byte> piece = memory_.Prefix(at, left);
    if (piece.empty()) return "2.7.5: buffer is outside of memory";
    if (writable) {
      chain_.writable_.Append(piece);
    } else {
      chain_.readable_.Append(piece);
    }
    at = at + piece.size();
    left -= static_cast<uint32_t>(piece.size());
  }
  return {};
}

}  // namespace virtqueue
