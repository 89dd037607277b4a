// span_list.h: the spans of one chain in one direction, seldom more than one.
//
// A single span needs no allocation; several live in a vector that keeps its
// room when the list is used again.

#ifndef VIRTQUEUE_SPAN_LIST_H_
#define VIRTQUEUE_SPAN_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace virtqueue {

template <typename Byte>
class SpanList {
 public:
  using Piece = absl::Span<Byte>;

  void Clear() { count_ = 0; }

  void SetOnly(Piece piece) {
    only_ = piece;
    count_ = 1;
  }

  void Append(Piece piece) {
    if (count_ == 0) return SetOnly(piece);
    if (count_ == 1) several_.assign(1, only_);
    several_.push_back(piece);
    ++count_;
  }

  absl::Span<const Piece> pieces() const {
    return count_ > 1 ? absl::MakeConstSpan(several_)
                      : absl::MakeConstSpan(&only_, count_);
  }

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Piece& piece : pieces()) sum += piece.size();
    return sum;
  }

 private:
  Piece only_;
  std::vector<Piece> several_;
  uint32_t count_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPAN_LIST_H_
