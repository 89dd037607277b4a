// arena.h: the memory that a harness puts a ring into, and what changed in it.
//
//   0x1000        the ring
//   0x10000       1 KiB of buffers
//   0x10400       1 KiB more, another region
//   0x20000       the driver's tables, if it has any
//   0x100000000   2 GiB that read as zeroes, if the queue is `vast`
//
// Each region but the last is one heap block, so that AddressSanitizer sees the
// first byte beyond it. All begin with zeroes.

#ifndef TESTS_FUZZ_ARENA_H_
#define TESTS_FUZZ_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tests/fuzz/script.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"

namespace fuzz {

inline constexpr uint64_t kRing = 0x1000;
inline constexpr uint64_t kBuffers = 0x10000;
inline constexpr uint64_t kMiddle = 0x10400;
inline constexpr uint64_t kBuffersEnd = 0x10800;
inline constexpr uint64_t kTables = 0x20000;
inline constexpr uint64_t kVast = uint64_t{1} << 32;
inline constexpr uint64_t kVastBytes = uint64_t{1} << 31;

struct Extent {
  uint64_t at = 0;
  uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

// A number in memory.
struct Word {
  uint64_t at = 0;
  uint32_t bytes = 0;
  uint64_t value = 0;
};

class Arena {
 public:
  using Pieces = std::vector<absl::Span<std::byte>>;

  explicit Arena(const QueueSpec& queue);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  const virtqueue::GuestMemory& memory() const { return *memory_; }
  const virtqueue::RingAddrs& addrs() const { return addrs_; }

  // The bytes of `extent`, a piece for each region that has some; nullopt if
  // any is in no region.
  std::optional<Pieces> Find(const Extent& extent) const;

  // A little-endian number of so many bytes, at most 8. What is not in one
  // region reads as 0 and is not written.
  uint64_t Read(uint64_t at, uint32_t bytes) const;
  void Write(uint64_t at, uint32_t bytes, uint64_t value);

  // The same; ChangedBut does not find it.
  void WriteUnnoticed(const Word& word);

  // The address of what lies at `place`, which is in a region.
  uint64_t AddressOf(const std::byte* place) const;

  // The first byte that is not what it was when last asked, and in none of the
  // extents of `but`.
  std::optional<uint64_t> ChangedBut(absl::Span<const Extent> but);

 private:
  struct Region {
    uint64_t base = 0;
    absl::Span<std::byte> bytes;
    std::vector<std::byte> before;  // of none in the vast region
  };

  void AddRegion(const Extent& extent);
  void AddVastRegion();
  const Region* RegionOf(uint64_t at) const;
  // None if they are not all in one region.
  absl::Span<std::byte> Within(uint64_t at, uint32_t bytes) const;

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<Region> regions_;
  bool vast_;
  std::optional<virtqueue::GuestMemory> memory_;
  virtqueue::RingAddrs addrs_;
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_ARENA_H_
