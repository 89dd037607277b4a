// span_list.h: the spans of one chain, readable ones before writable ones.
//
// Few spans need no allocation; many live in a vector that keeps its room when
// the list is used again. One list serves both directions, so a chain of one
// span, whichever its direction, is that span, and whoever knows that needs no
// counts.

#ifndef VIRTQUEUE_SPAN_LIST_H_
#define VIRTQUEUE_SPAN_LIST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"

namespace virtqueue {

// Spans seen through which nobody writes.
class ConstSpans {
 public:
  class Iterator {
   public:
    explicit Iterator(const absl::Span<std::byte>* at) : at_(at) {}
    absl::Span<const std::byte> operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const absl::Span<std::byte>* at_;
  };

  explicit ConstSpans(absl::Span<const absl::Span<std::byte>> spans)
      : spans_(spans) {}

  Iterator begin() const { return Iterator(spans_.data()); }
  Iterator end() const { return Iterator(spans_.data() + spans_.size()); }
  absl::Span<const std::byte> operator[](size_t i) const { return spans_[i]; }
  size_t size() const { return spans_.size(); }
  bool empty() const { return spans_.empty(); }

 private:
  absl::Span<const absl::Span<std::byte>> spans_;
};

class SpanList {
 public:
  using Piece = absl::Span<std::byte>;

  void Clear() { readable_ = writable_ = 0; }

  // A span of which nothing is counted: Only alone gives it, as the only one,
  // or none.
  void SetOnly(Piece piece) { few_[0] = piece; }
  absl::Span<const Piece> Only(bool there) const {
    return absl::MakeConstSpan(few_.data(), there ? 1 : 0);
  }

  // A readable one only if there is no writable one yet.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Append(Piece piece, bool writable) {
    const uint32_t count = readable_ + writable_;
    if (count < kFew) {
      few_[count] = piece;
    } else {
      AppendToMany(piece, count);
    }
    ++(writable ? writable_ : readable_);
  }

  ConstSpans readable() const {
    return ConstSpans(absl::MakeConstSpan(first(), readable_));
  }
  absl::Span<const Piece> writable() const {
    return absl::MakeConstSpan(first() + readable_, writable_);
  }

 private:
  static constexpr uint32_t kFew = 4;

  const Piece* first() const {
    return readable_ + writable_ <= kFew ? few_.data() : many_.data();
  }

  void AppendToMany(Piece piece, uint32_t count) {
    if (count == kFew) many_.assign(few_.begin(), few_.end());
    many_.push_back(piece);
  }

  uint32_t readable_ = 0;
  uint32_t writable_ = 0;
  std::array<Piece, kFew> few_;
  std::vector<Piece> many_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_SPAN_LIST_H_
