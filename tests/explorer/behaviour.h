// behaviour.h: all that one half may do, as a tree that grows when asked.
//
// A node is what the half has read so far, and bears the turn that follows. The
// rings run once for each node, by a Replay; exploring the orders of two halves
// then walks two trees and runs no ring at all.
//
// Nodes may be merged: two that begin a round with the same turn and in the
// same HalfState, whatever was read on the way. As that state and what is read
// determine all that a half does, the same may follow either, step by step, so
// every order of steps is there as before and ends as before; only what they
// are orders of has fewer states. merging_test compares the two.

#ifndef TESTS_EXPLORER_BEHAVIOUR_H_
#define TESTS_EXPLORER_BEHAVIOUR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "tests/explorer/act.h"
#include "tests/explorer/half_program.h"
#include "tests/explorer/half_state.h"
#include "tests/explorer/place.h"

namespace virtqueue {

class Behaviour {
 public:
  using NewProgram = std::function<std::unique_ptr<HalfProgram>()>;
  static constexpr uint32_t kRoot = 0;

  enum class Nodes : uint8_t { kMerged, kAll };

  // A program does the same each time if it reads the same. `places` outlives
  // this.
  Behaviour(const PlaceMap& places, NewProgram new_program, Nodes nodes);

  const Turn& turn(uint32_t node) const { return nodes_[node].turn; }
  // Where the turn at `node` leads to if it is answered by `answer`.
  uint32_t Next(uint32_t node, uint64_t answer);

  size_t nodes() const { return nodes_.size(); }

 private:
  struct Node {
    Turn turn;
    std::optional<HalfState> state;  // if the turn begins a round
    uint32_t parent = kRoot;
    uint64_t answer = 0;  // to the parent's turn
    absl::btree_map<uint64_t, uint32_t> next;
  };

  uint32_t Grow(uint32_t parent, uint64_t answer);
  std::vector<uint64_t> AnswersUpTo(uint32_t node) const;
  Node NodeAfter(const std::vector<uint64_t>& answers) const;
  // A node that `node` may be merged with, if there is one.
  std::optional<uint32_t> Find(const Node& node) const;

  const PlaceMap& places_;
  const NewProgram new_program_;
  const bool merges_;
  std::vector<Node> nodes_;
  // Those that begin a round, by how many buffers were begun and ended.
  absl::btree_map<std::pair<uint64_t, uint64_t>, std::vector<uint32_t>> rounds_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_BEHAVIOUR_H_
