#include "virtqueue/chain_appender.h"

namespace virtqueue {

const char* ChainAppender::AppendPieces(GuestAddr at, uint32_t len) {
  while (len != 0) {
    const absl::Span<std::byte> piece = memory_.Prefix(at, len);
    if (piece.empty()) return faults_.outside;
    AppendPiece(piece);
    at = at + piece.size();
    len -= static_cast<uint32_t>(piece.size());
  }
  return nullptr;
}

}  // namespace virtqueue
