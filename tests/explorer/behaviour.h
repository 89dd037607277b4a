// behaviour.h: all that one half may do, as a tree that grows when asked.
//
// A node is what the half has read so far, and bears the turn that follows. The
// rings run once for each node, by a Replay; exploring the orders of two halves
// then walks two trees and runs no ring at all.

#ifndef TESTS_EXPLORER_BEHAVIOUR_H_
#define TESTS_EXPLORER_BEHAVIOUR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "tests/explorer/act.h"
#include "tests/explorer/half_program.h"
#include "tests/explorer/place.h"

namespace virtqueue {

class Behaviour {
 public:
  using NewProgram = std::function<std::unique_ptr<HalfProgram>()>;
  static constexpr uint32_t kRoot = 0;

  // A program does the same each time if it reads the same. `places` outlives
  // this.
  Behaviour(const PlaceMap& places, NewProgram new_program);

  const Turn& turn(uint32_t node) const { return nodes_[node].turn; }
  // Where the turn at `node` leads to if it is answered by `answer`.
  uint32_t Next(uint32_t node, uint64_t answer);

  size_t nodes() const { return nodes_.size(); }

 private:
  struct Node {
    Turn turn;
    uint32_t parent = kRoot;
    uint64_t answer = 0;  // to the parent's turn
    absl::btree_map<uint64_t, uint32_t> next;
  };

  uint32_t Grow(uint32_t parent, uint64_t answer);
  std::vector<uint64_t> AnswersUpTo(uint32_t node) const;
  Turn TurnAfter(const std::vector<uint64_t>& answers) const;

  const PlaceMap& places_;
  const NewProgram new_program_;
  std::vector<Node> nodes_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_BEHAVIOUR_H_
