// ring_array.h: a power of two of elements that an index cannot leave.
//
// Spec: virtio 1.3, 2.7.6 and 2.7.8: an entry's slot is its idx modulo the
// queue size, so a running count serves as the index and none is stray.

#ifndef VIRTQUEUE_RING_ARRAY_H_
#define VIRTQUEUE_RING_ARRAY_H_

#include <bit>
#include <cstdint>

#include "absl/types/span.h"
#include "virtqueue/check.h"

namespace virtqueue {

template <typename T>
class RingArray {
 public:
  RingArray() = default;  // of nothing; assigned to before it is used
  explicit RingArray(absl::Span<T> elements)
      : data_(elements.data()),
        mask_(static_cast<uint32_t>(elements.size() - 1)) {
    VSOCK_CHECK(std::has_single_bit(elements.size()));
  }

  T& operator[](uint64_t index) const {
    return data_[static_cast<uint32_t>(index) & mask_];
  }

  // True if there is an element of just this number, for At to give.
  bool Has(uint32_t index) const { return index <= mask_; }

  T& At(uint32_t index) const {
    VSOCK_CHECK(Has(index));
    return data_[index];
  }

  uint32_t size() const { return mask_ + 1; }

 private:
  T* data_ = nullptr;
  uint32_t mask_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_RING_ARRAY_H_
