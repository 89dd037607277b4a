// wake_tree.h: which of many slots is due first.
//
// A tournament over slots. A leaf is what its slot is waiting for, an inner
// node the lesser of its two children, so the root is the next wake-up of all.
// Setting, moving and clearing a slot are the same walk from leaf to root. The
// walk has no branch that depends on the data, and all the addresses it reads
// are known when it starts: that is why it beats a binary heap at every size,
// see bench/README.md.
// Left out: more than one wake-up a slot.

#ifndef SIM_WAKE_TREE_H_
#define SIM_WAKE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "virtqueue/check.h"

namespace sim {

class WakeTree {
 public:
  // A wake-up: by time, then by order of request, in one integer.
  struct Entry {
    __extension__ using Bits = unsigned __int128;

    static constexpr int kSlotBits = 24;
    static constexpr uint32_t kMaxSlots = uint32_t{1} << kSlotBits;
    static constexpr uint64_t kMaxRequests = uint64_t{1} << (64 - kSlotBits);

    uint64_t at() const { return static_cast<uint64_t>(bits >> 64); }
    uint64_t order() const { return static_cast<uint64_t>(bits); }
    uint32_t slot() const {
      return static_cast<uint32_t>(order() & (kMaxSlots - 1));
    }
    bool never() const { return bits == ~Bits{0}; }
    friend bool operator==(Entry, Entry) = default;

    Bits bits = ~Bits{0};  // by default: never
  };

  // Slots are 0..count-1 from now on. Those that exist keep their entries.
  void Resize(uint32_t count);

  uint32_t capacity() const { return static_cast<uint32_t>(leaves_); }
  const Entry& top() const { return nodes_[1]; }
  bool waits(uint32_t slot) const { return !nodes_[leaves_ + slot].never(); }

  // Who is due first among the slots near `slot`, which has been set: one of
  // the 32 or so that are likely to be the top soon.
  uint32_t Contender(uint32_t slot) const {
    return nodes_[(leaves_ + slot) >> contender_shift_].slot();
  }

  // Asks for the memory that a walk from `slot` needs and is unlikely to have.
  void Fetch(uint32_t slot) const {
    const size_t leaf = leaves_ + slot;
    __builtin_prefetch(&nodes_[leaf]);
    __builtin_prefetch(&nodes_[leaf / 2]);
    __builtin_prefetch(&nodes_[leaf / 4]);
    __builtin_prefetch(&nodes_[leaf / 8]);
  }

  // Takes the top out, so that its slot waits for nothing. From here to
  // Settle() of that slot top() is not to be trusted: if the slot is set again
  // in between, as most are, one walk has done for both.
  Entry Take();
  void Settle(uint32_t slot) {
    if (!waits(slot)) Clear(slot);
  }

  // Replaces what `slot` waits for, if anything.
  void Set(uint32_t slot, uint64_t at, uint64_t request) {
    VSOCK_CHECK(request < Entry::kMaxRequests);
    const uint64_t order = (request << Entry::kSlotBits) | slot;
    Walk(slot, Entry{(Entry::Bits{at} << 64) | order});
  }

  void Clear(uint32_t slot) { Walk(slot, Entry{}); }

 private:
  static Entry Lesser(Entry a, Entry b);
  void Walk(uint32_t slot, Entry entry);

  static constexpr int kContenderDepth = 5;  // of their nodes below the root

  size_t leaves_ = 1;  // a power of two
  int contender_shift_ = 0;
  // Node i has the children 2i and 2i + 1; the root is node 1, the leaf of
  // slot s is node leaves_ + s.
  std::vector<Entry> nodes_ = std::vector<Entry>(2);
};

inline WakeTree::Entry WakeTree::Lesser(Entry a, Entry b) {
  // A mask in place of a choice: as a choice, clang makes a branch of it, which
  // is mispredicted every other time. The halves are masked one by one, as gcc
  // would otherwise keep them in a vector register.
  const uint64_t mask = -static_cast<uint64_t>(b.bits < a.bits);
  const uint64_t at = a.at() ^ ((a.at() ^ b.at()) & mask);
  const uint64_t order = a.order() ^ ((a.order() ^ b.order()) & mask);
  return Entry{(Entry::Bits{at} << 64) | order};
}

inline WakeTree::Entry WakeTree::Take() {
  const Entry taken = top();
  nodes_[leaves_ + taken.slot()] = Entry{};
  return taken;
}

inline void WakeTree::Walk(uint32_t slot, Entry entry) {
  size_t node = leaves_ + slot;
  nodes_[node] = entry;
  while (node > 1) {
    entry = Lesser(entry, nodes_[node ^ 1]);
    node /= 2;
    nodes_[node] = entry;
  }
}

}  // namespace sim

#endif  // SIM_WAKE_TREE_H_
