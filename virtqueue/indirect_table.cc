#include "virtqueue/indirect_table.h"

#include "virtqueue/shared_le.h"

namespace virtqueue {

uint64_t LoadUnaligned(absl::Span<const std::byte> bytes, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(value); ++i) {
    const std::byte& byte = bytes[offset + i];
    const uint64_t loaded = reinterpret_cast<const SharedLe8&>(byte).Load();
    value |= loaded << (8 * i);
  }
  return value;
}

}  // namespace virtqueue
