#include "virtqueue/chain.h"

#include <cstring>
#include <utility>
#include <vector>

#include "virtqueue/check.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

// Calls `copy(span, done)` for each piece of the bytes from `offset` on, until
// `wanted` bytes are done or the spans end; says how many were.
template <typename Spans, typename Copy>
size_t ForEachPiece(const Spans& spans, uint64_t offset, size_t wanted,
                    Copy copy) {
  size_t done = 0;
  for (const auto& span : spans) {
    if (done == wanted) break;
    if (offset >= span.size()) {
      offset -= span.size();
      continue;
    }
    const auto piece = span.subspan(offset, wanted - done);
    offset = 0;
    copy(piece, done);
    done += piece.size();
  }
  return done;
}

template <typename Spans>
std::vector<ChainState::Piece> PiecesOf(const Spans& spans,
                                        const GuestMemory& memory) {
  std::vector<ChainState::Piece> pieces;
  for (const auto& span : spans) {
    pieces.push_back({.at = memory.AddressOf(span),
                      .len = static_cast<uint32_t>(span.size())});
  }
  return pieces;
}

// False if a piece is empty or leaves memory.
bool AppendAll(const std::vector<ChainState::Piece>& pieces,
               const GuestMemory& memory, bool writable, SpanList& list) {
  for (const ChainState::Piece& piece : pieces) {
    const absl::Span<std::byte> bytes = memory.TrySlice(piece.at, piece.len);
    if (bytes.empty()) return false;
    list.Append(bytes, writable);
  }
  return true;
}

}  // namespace

Chain::Chain(Chain&& other) noexcept { *this = std::move(other); }

Chain& Chain::operator=(Chain&& other) noexcept {
  if (this == &other) return *this;
  std::swap(spans_, other.spans_);
  descriptors_ = other.descriptors_;
  slots_ = other.slots_;
  turn_ = other.turn_;
  life_ = other.life_;
  head_ = other.head_;
  other.Clear();
  return *this;
}

ChainState Chain::Save(const GuestMemory& memory) const {
  VSOCK_CHECK(pending());
  return {.id = static_cast<uint16_t>(head()),
          .slots = static_cast<uint16_t>(packed() ? slots() : 0),
          .descriptors = static_cast<uint16_t>(descriptors()),
          .turn = turn(),
          .readable = PiecesOf(readable(), memory),
          .writable = PiecesOf(writable(), memory)};
}

absl::Status Chain::SetTo(const ChainState& state, const GuestMemory& memory,
                          uint16_t size) {
  Clear();
  descriptors_ = state.descriptors;
  slots_ = state.slots;
  turn_ = state.turn;
  if (descriptors_ == 0 || descriptors_ > size) {
    return absl::InvalidArgumentError(
        "chain state: no descriptors, or more than the queue size");
  }
  if (!AppendAll(state.readable, memory, /*writable=*/false, spans_) ||
      !AppendAll(state.writable, memory, /*writable=*/true, spans_)) {
    return absl::InvalidArgumentError(
        "chain state: a piece is of no bytes, or is outside of memory");
  }
  if (Bytes(spans_.readable()) + Bytes(spans_.writable()) > kMaxChainBytes) {
    return absl::InvalidArgumentError("chain state: of more than 2^32 bytes");
  }
  return absl::OkStatus();
}

size_t Chain::CopyFrom(uint64_t offset, absl::Span<std::byte> into) const {
  return ForEachPiece(readable(), offset, into.size(),
                      [into](absl::Span<const std::byte> piece, size_t done) {
                        std::memcpy(into.subspan(done).data(), piece.data(),
                                    piece.size());
                      });
}

size_t Chain::CopyTo(uint64_t offset, absl::Span<const std::byte> from) {
  return ForEachPiece(writable(), offset, from.size(),
                      [from](absl::Span<std::byte> piece, size_t done) {
                        std::memcpy(piece.data(), from.subspan(done).data(),
                                    piece.size());
                      });
}

}  // namespace virtqueue
