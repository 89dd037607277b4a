// naive_chain.h: what a chain in memory is, read off by the specification.
//
// Spec: virtio 1.3, 2.7.4, 2.7.5, 2.8.3 to 2.8.7. It first lists all that the
// chain describes and then judges the list, byte by byte out of an arena, and
// shares nothing with the half that it is compared to.

#ifndef TESTS_FUZZ_NAIVE_CHAIN_H_
#define TESTS_FUZZ_NAIVE_CHAIN_H_

#include <cstdint>
#include <vector>

#include "tests/fuzz/arena.h"
#include "tests/fuzz/ring_map.h"
#include "tests/fuzz/script.h"

namespace fuzz {

struct NaiveChain {
  bool lawful = false;  // else the rest means nothing
  uint32_t id = 0;      // its head, or its buffer id
  uint32_t slots = 1;   // of a packed ring
  uint32_t descriptors = 0;
  std::vector<Extent> readable;
  std::vector<Extent> writable;

  uint64_t readable_bytes() const;
  uint64_t writable_bytes() const;
};

// Where a half is in a packed ring.
struct PackedPlace {
  uint32_t slot = 0;
  bool wrap_counter = true;

  // Of a slot, and its wrap counter in the highest bit.
  static PackedPlace Of(uint16_t off_wrap) {
    return {.slot = off_wrap & 0x7fffu, .wrap_counter = off_wrap >= 0x8000};
  }

  void Step(uint32_t slots, uint32_t size);
  uint16_t available() const { return wrap_counter ? 0x0080 : 0x8000; }
  uint16_t used() const { return wrap_counter ? 0x8080 : 0x0000; }
};

class ChainReader {
 public:
  enum class Buffers { kInMemory, kAnywhere };  // where they may be

  ChainReader(const Arena& arena, const QueueSpec& queue, Buffers buffers);

  NaiveChain Split(uint32_t head) const;
  // In at most `room` slots.
  NaiveChain Packed(PackedPlace at, uint32_t room) const;

  // Whether a packed ring's descriptor there has these values of AVAIL and
  // USED.
  bool Has(const PackedPlace& at, uint16_t avail_and_used) const;

 private:
  using Descs = std::vector<WireDesc>;

  bool IsTable(const WireDesc& refers) const;
  bool ListSplit(uint32_t head, Descs& descs) const;
  bool ListPacked(PackedPlace at, uint32_t room, NaiveChain& chain,
                  Descs& descs) const;
  void Judge(const Descs& descs, NaiveChain& chain) const;

  const Arena& arena_;
  const QueueSpec& queue_;
  const Buffers buffers_;
  const RingMap map_;
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_NAIVE_CHAIN_H_
