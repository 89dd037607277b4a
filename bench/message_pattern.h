// message_pattern.h: messages whose every byte says where it belongs.
//
// Byte i of message k is byte k * size + i of one endless text of period 251,
// which no power of two divides. A datagram begins with its number instead, as
// others of its flow may be lost.

#ifndef BENCH_MESSAGE_PATTERN_H_
#define BENCH_MESSAGE_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"

namespace bench {

class MessagePattern {
 public:
  static constexpr uint32_t kNumberBytes = sizeof(uint64_t);

  explicit MessagePattern(uint32_t message_bytes)
      : message_bytes_(message_bytes), text_(message_bytes + kPeriod) {
    for (size_t i = 0; i < text_.size(); ++i) {
      text_[i] = static_cast<std::byte>(i % kPeriod);
    }
  }

  // The next bytes of the text from `offset` on, at least a message's.
  const std::byte* TextAt(uint64_t offset) const {
    return &text_[offset % kPeriod];
  }
  bool IsTextAt(uint64_t offset, absl::Span<const std::byte> got) const {
    return std::memcmp(got.data(), TextAt(offset), got.size()) == 0;
  }

  void WriteDatagram(uint64_t number, absl::Span<std::byte> out) const {
    std::memcpy(out.data(), TextAt(number * message_bytes_), message_bytes_);
    std::memcpy(out.data(), &number, kNumberBytes);
  }
  // Whether `got` is a datagram from number `from` on; moves `from` past it.
  bool IsDatagram(absl::Span<const std::byte> got, uint64_t& from) const {
    uint64_t number;
    if (got.size() != message_bytes_) return false;
    std::memcpy(&number, got.data(), kNumberBytes);
    if (number < from) return false;
    from = number + 1;
    return IsTextAt(number * message_bytes_ + kNumberBytes,
                    got.subspan(kNumberBytes));
  }

 private:
  static constexpr uint32_t kPeriod = 251;

  const uint32_t message_bytes_;
  std::vector<std::byte> text_;
};

}  // namespace bench

#endif  // BENCH_MESSAGE_PATTERN_H_
