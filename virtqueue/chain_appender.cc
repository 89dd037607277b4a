#include "virtqueue/chain_appender.h"

namespace virtqueue {

const char* ChainAppender::AppendPieces(GuestAddr at, uint32_t len,
                                        bool writable,
                                        const GuestMemory& memory,
                                        const Faults& faults, Chain& chain) {
  while (len != 0) {
    const absl::Span<std::byte> piece = memory.Prefix(at, len);
    if (piece.empty()) return faults.outside;
    chain.spans_.Append(piece, writable);
    at = at + piece.size();
    len -= static_cast<uint32_t>(piece.size());
  }
  return nullptr;
}

}  // namespace virtqueue
