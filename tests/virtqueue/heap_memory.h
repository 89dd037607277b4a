// heap_memory.h: guest memory of which each region is one heap block, so that
// AddressSanitizer sees the first byte beyond it.

#ifndef TESTS_VIRTQUEUE_HEAP_MEMORY_H_
#define TESTS_VIRTQUEUE_HEAP_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "virtqueue/guest_memory.h"

class HeapMemory {
 public:
  struct Extent {
    uint64_t base = 0;
    uint64_t size = 0;
  };

  explicit HeapMemory(const std::vector<Extent>& extents)
      : blocks_(MakeBlocks(extents)),
        memory_(*virtqueue::GuestMemory::Create(Regions(extents))) {}

  const virtqueue::GuestMemory& memory() const { return memory_; }

  absl::Span<std::byte> Bytes(uint64_t at, uint32_t len) const {
    return *memory_.Slice(virtqueue::GuestAddr(at), len);
  }

 private:
  using Block = std::unique_ptr<std::byte[]>;

  static std::vector<Block> MakeBlocks(const std::vector<Extent>& extents) {
    std::vector<Block> blocks;
    for (const Extent& extent : extents) {
      blocks.push_back(std::make_unique<std::byte[]>(extent.size));
    }
    return blocks;
  }

  std::vector<virtqueue::GuestMemory::Region> Regions(
      const std::vector<Extent>& extents) const {
    std::vector<virtqueue::GuestMemory::Region> regions;
    for (size_t i = 0; i < extents.size(); ++i) {
      regions.push_back({.base = virtqueue::GuestAddr(extents[i].base),
                         .bytes = {blocks_[i].get(), extents[i].size}});
    }
    return regions;
  }

  const std::vector<Block> blocks_;
  const virtqueue::GuestMemory memory_;
};

#endif  // TESTS_VIRTQUEUE_HEAP_MEMORY_H_
