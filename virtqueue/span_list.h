// span_list.h: the spans of one chain in one direction, seldom more than a few.
//
// Few spans need no allocation; many live in a vector that keeps its room when
// the list is used again.

#ifndef VIRTQUEUE_SPAN_LIST_H_
#define VIRTQUEUE_SPAN_LIST_H_

#include <array>
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
    few_[0] = piece;
    count_ = 1;
  }

  void Append(Piece piece) {
    if (count_ < kFew) {
      few_[count_++] = piece;
    } else {
      AppendToMany(piece);
    }
  }

  absl::Span<const Piece> pieces() const {
    const Piece* const first = count_ <= kFew ? few_.data() : many_.data();
    return absl::MakeConstSpan(first, count_);
  }

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Piece& piece : pieces()) sum += piece.size();
    return sum;
  }

 private:
  static constexpr uint32_t kFew = 3;

  void AppendToMany(Piece piece) {
    if (count_ == kFew) many_.assign(few_.begin(), few_.end());
    many_.push_back(piece);
    ++count_;
  }

  std::array<Piece, kFew> few_;
  std::vector<Piece> many_;
  uint32_t count_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPAN_LIST_H_
