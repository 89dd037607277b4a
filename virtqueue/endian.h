// endian.h: little-endian integers as they lie in memory.
//
// Spec: virtio 1.3, 1.4 "Structure Specifications": every field of a ring or of
// a packet is little-endian. Alignment is 1, so a wire struct is the bytes.
// Left out: access while the other half may write; see shared_le.h.

#ifndef VIRTQUEUE_ENDIAN_H_
#define VIRTQUEUE_ENDIAN_H_

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace virtqueue {

template <std::unsigned_integral T>
constexpr T ByteSwap(T value) {
  T swapped = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    swapped = static_cast<T>((swapped << 8) | (value & 0xff));
    value = static_cast<T>(value >> 8);
  }
  return swapped;
}

// Between the host's order and little-endian, either way.
template <std::unsigned_integral T>
constexpr T SwapIfBigEndianHost(T value) {
  if constexpr (std::endian::native == std::endian::big) {
    return ByteSwap(value);
  } else {
    return value;
  }
}

template <std::unsigned_integral T>
class LittleEndian {
 public:
  constexpr LittleEndian() = default;
  // Implicit on purpose: a wire field is written and read as its number.
  LittleEndian(T value) { *this = value; }  // NOLINT

  LittleEndian& operator=(T value) {
    value = SwapIfBigEndianHost(value);
    std::memcpy(bytes_, &value, sizeof(T));
    return *this;
  }

  operator T() const {  // NOLINT
    T value;
    std::memcpy(&value, bytes_, sizeof(T));
    return SwapIfBigEndianHost(value);
  }

 private:
  unsigned char bytes_[sizeof(T)] = {};
};

using Le16 = LittleEndian<uint16_t>;
using Le32 = LittleEndian<uint32_t>;
using Le64 = LittleEndian<uint64_t>;

static_assert(sizeof(Le64) == 8 && alignof(Le64) == 1, "wire layout");

}  // namespace virtqueue

#endif  // VIRTQUEUE_ENDIAN_H_
