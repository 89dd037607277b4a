// pattern.h: bytes in which no two stretches are alike, and a hash of bytes:
// what the programs in the guest and those on the host agree on.

#ifndef TESTS_REAL_GUEST_PATTERN_H_
#define TESTS_REAL_GUEST_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vsock::real_guest {

std::string Pattern(size_t bytes, uint64_t seed);

// FNV-1a of 64 bits.
class Hash {
 public:
  void Add(std::string_view bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

uint64_t HashOf(std::string_view bytes);

// A number as eight bytes, the lowest first, and back.
std::string ToBytes(uint64_t number);
uint64_t ToNumber(std::string_view bytes);

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_PATTERN_H_
