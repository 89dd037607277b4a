#include "tests/real_guest/pattern.h"

namespace vsock::real_guest {

// xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
std::string Pattern(size_t bytes, uint64_t seed) {
  std::string pattern;
  pattern.reserve(bytes + sizeof(seed));
  uint64_t word = seed * 0x9e3779b97f4a7c15 + 1;
  while (pattern.size() < bytes) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    pattern += ToBytes(word);
  }
  pattern.resize(bytes);
  return pattern;
}

void Hash::Add(std::string_view bytes) {
  for (const char byte : bytes) {
    value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
}

uint64_t HashOf(std::string_view bytes) {
  Hash hash;
  hash.Add(bytes);
  return hash.value();
}

std::string ToBytes(uint64_t number) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(number >> shift));
  }
  return bytes;
}

uint64_t ToNumber(std::string_view bytes) {
  uint64_t number = 0;
  int shift = 0;
  for (const char byte : bytes) {
    number |= uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return number;
}

}  // namespace vsock::real_guest
