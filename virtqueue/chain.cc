#include "virtqueue/chain.h"

#include <algorithm>
#include <cstring>
#include <utility>

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

}  // namespace

Chain::Chain(Chain&& other) noexcept { *this = std::move(other); }

Chain& Chain::operator=(Chain&& other) noexcept {
  std::swap(readable_, other.readable_);
  std::swap(writable_, other.writable_);
  descriptors_ = other.descriptors_;
  slots_ = other.slots_;
  head_ = std::exchange(other.head_, kNoHead);
  return *this;
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
