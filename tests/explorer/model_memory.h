// model_memory.h: the memory that driver and device share while they are
// explored: store buffers, and loads that are satisfied early.
//
// Each half has a store buffer with a queue for each word, so stores to
// different words become visible in any order, but
//   - a release store after all earlier ones of its half;
//   - a seq_cst load does not begin before all earlier seq_cst stores of its
//     half are visible;
//   - a load may have been satisfied at any earlier time, but not before an
//     earlier acquire load of its half, and never backwards for one word.
//
// That is kept as views (Kang et al., "A promising semantics for relaxed-memory
// concurrency", POPL 2017, section 3, without promises), which for two threads
// is the same with fewer states: a word is the list of its stores, a half has a
// floor in it, and a load returns any store from the floor on. What is above
// the other half's floor is what may still be in the buffer. Who acquires a
// release store raises its floors to what that half had stored by then. A
// seq_cst load sees no store older than the last seq_cst one to its word.
//
// So it is the memory of C++20 for what the rings use: relaxed, acquire,
// release and seq_cst loads and stores of two threads. It is weaker than x86
// and weaker than Arm's ldar and stlr, except for what it cannot show:
//   - a store that is visible before an earlier load of the same half was
//     satisfied (load buffering). That a release also keeps back loads is
//     therefore not shown to be needed, or not;
//   - two halves that store to one word without either having seen the other's
//     store: the later store is the later one. The rings never do that, unless
//     one of them took a descriptor that it was not given;
//   - torn accesses, and what a compiler may do to code without orders;
//   - read-modify-write operations and fences, of which the rings have none.

#ifndef TESTS_EXPLORER_MODEL_MEMORY_H_
#define TESTS_EXPLORER_MODEL_MEMORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tests/explorer/act.h"

namespace virtqueue {

class ModelMemory {
 public:
  // The values that everyone has seen.
  explicit ModelMemory(absl::Span<const uint64_t> values);

  void Store(HalfName half, size_t place, uint64_t value,
             std::memory_order order);

  // What a load of `half` may return: the last of these is the newest.
  struct Stored {
    uint64_t value = 0;
    uint32_t number = 0;  // of its half's stores, from 1; 0: from the beginning
    HalfName half = HalfName::kDriver;
    bool releases = false;
    bool seq_cst = false;
  };
  absl::Span<const Stored> Visible(HalfName half, size_t place,
                                   std::memory_order order) const;
  struct Look {
    std::memory_order order = std::memory_order_relaxed;
    size_t choice = 0;  // Visible()[choice] was returned
    // A place whose stores are not released, or not acquired, with the rest.
    std::optional<size_t> withheld;
  };
  void Load(HalfName half, size_t place, const Look& look);

  // All that the other half stored up to its store `number` has become visible
  // to `half`, and `half` knows; but for one place, if any.
  void Acquire(HalfName half, uint32_t number,
               std::optional<size_t> withheld = std::nullopt);

  // The stores of `half` so far.
  uint32_t stores(HalfName half) const { return stores_[Index(half)]; }

  // Everything, as numbers: equal if the memories are, as far as what may be
  // done next can tell. Of when something was stored, that is only in which
  // order a half stored what is still there. `upto` are a half's first stores,
  // by half, that the other will acquire; none if 0.
  void AppendTo(std::vector<uint64_t>& key,
                const std::array<uint32_t, 2>& upto) const;

 private:
  struct Word {
    absl::InlinedVector<Stored, 2> stored;  // what some half may still see
    std::array<uint8_t, 2> floor = {};      // by half, in `stored`
    uint8_t seq_cst = 0;                    // the last seq_cst one, in `stored`
  };

  static size_t Index(HalfName half) { return static_cast<size_t>(half); }
  static void RaiseFloor(Word& word, HalfName half, size_t floor);
  static size_t LowestVisible(const Word& word, HalfName half,
                              std::memory_order order);

  // By number of a store of `half`: how many up to it are still there.
  std::vector<uint64_t> Ranks(HalfName half) const;

  std::vector<Word> words_;
  std::array<uint32_t, 2> stores_ = {};
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_MODEL_MEMORY_H_
