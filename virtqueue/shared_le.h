// shared_le.h: a little-endian integer that the other half may touch meanwhile.
//
// Spec: virtio 1.3, 1.4 (byte order) and 2.7.13 (memory barriers).
// Trust: every access is one atomic access, so a value is read once, whole, and
// a hostile peer that writes at the same time is no data race. The other half's
// memory is reached here and nowhere else, so tests/explorer sees it all.
//
// Indices and suppression words are stored and loaded seq_cst where 2.7.13.4.1
// wants a full barrier between the two: on x86 such a store is one locked
// exchange, which is cheaper than mfence, and ThreadSanitizer understands it.

#ifndef VIRTQUEUE_SHARED_LE_H_
#define VIRTQUEUE_SHARED_LE_H_

#include <atomic>
#include <concepts>
#include <cstdint>

#include "virtqueue/endian.h"
#include "virtqueue/shared_word.h"

namespace virtqueue {

template <std::unsigned_integral T>
class SharedLe {
 public:
  T Load(std::memory_order order = std::memory_order_relaxed) const {
    // atomic_ref has no const form in C++20; a load writes nothing.
    const SharedWord<T> word(const_cast<T&>(raw_));
    return SwapIfBigEndianHost(word.load(order));
  }

  void Store(T value, std::memory_order order = std::memory_order_relaxed) {
    SharedWord<T>(raw_).store(SwapIfBigEndianHost(value), order);
  }

 private:
  alignas(SharedWord<T>::required_alignment) T raw_;
};

using SharedLe8 = SharedLe<uint8_t>;
using SharedLe16 = SharedLe<uint16_t>;
using SharedLe32 = SharedLe<uint32_t>;
using SharedLe64 = SharedLe<uint64_t>;

static_assert(sizeof(SharedLe16) == 2 && alignof(SharedLe16) == 2, "layout");
static_assert(sizeof(SharedLe32) == 4 && alignof(SharedLe32) == 4, "layout");
static_assert(sizeof(SharedLe64) == 8 && alignof(SharedLe64) == 8, "layout");

}  // namespace virtqueue

#endif  // VIRTQUEUE_SHARED_LE_H_
