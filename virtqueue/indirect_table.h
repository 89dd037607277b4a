// indirect_table.h: a table of descriptors outside of the ring.
//
// Spec: virtio 1.3, 2.7.5.3 and 2.8.7 "Indirect Flag: Scatter-Gather Support".
// It may lie at any address. `Shared` is a descriptor as it lies in a ring.

#ifndef VIRTQUEUE_INDIRECT_TABLE_H_
#define VIRTQUEUE_INDIRECT_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {

// The little-endian number in eight bytes from `offset` on, each read once.
uint64_t LoadUnaligned(absl::Span<const std::byte> bytes, size_t offset);

template <typename Shared>
class IndirectTable {
 public:
  // `bytes` are of whole descriptors.
  explicit IndirectTable(absl::Span<const std::byte> bytes)
      : bytes_(bytes),
        aligned_(reinterpret_cast<uintptr_t>(bytes.data()) % alignof(Shared) ==
                 0) {}

  uint32_t size() const {
    return static_cast<uint32_t>(bytes_.size() / kDescriptorBytes);
  }

  // Entry `index`, of which there are size().
  auto Load(uint32_t index) const {
    const size_t at = size_t{index} * kDescriptorBytes;
    if (!aligned_) [[unlikely]] {
      return Shared::Decode(LoadUnaligned(bytes_, at),
                            LoadUnaligned(bytes_, at + sizeof(uint64_t)));
    }
    return reinterpret_cast<const Shared&>(bytes_[at]).Load();
  }

 private:
  absl::Span<const std::byte> bytes_;
  bool aligned_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_INDIRECT_TABLE_H_
