// big_endian.h: integers in network byte order, as they lie in a frame.

#ifndef SIM_PEERS_BIG_ENDIAN_H_
#define SIM_PEERS_BIG_ENDIAN_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sim {

template <std::unsigned_integral T>
class BigEndian {
 public:
  constexpr BigEndian() = default;
  // Implicit on purpose: a field of a header is written and read as its number.
  constexpr BigEndian(T value) {  // NOLINT
    for (size_t i = sizeof(T); i > 0; --i) {
      bytes_[i - 1] = static_cast<uint8_t>(value);
      value = static_cast<T>(value >> 8);
    }
  }

  constexpr operator T() const {  // NOLINT
    T value = 0;
    for (const uint8_t byte : bytes_) {
      value = static_cast<T>(value << 8 | byte);
    }
    return value;
  }

 private:
  std::array<uint8_t, sizeof(T)> bytes_ = {};
};

using Be16 = BigEndian<uint16_t>;
using Be32 = BigEndian<uint32_t>;

}  // namespace sim

#endif  // SIM_PEERS_BIG_ENDIAN_H_
